import Glibc
import StatusSchema
import Testing

@testable import TestRig

extension RealNodeTests {
  /// Wireshark's dissectors are the judges of what the node puts on the wire.
  @Suite(.enabled(if: PacketCapture.isPermitted, "capturing packets needs root"))
  struct DissectionTests {
    private static let payloadType = 111
    /// Full-band CELT frames of 10 ms (RFC 6716 §3.1, table 2), which is what ptime 10 sends.
    private static let fullBand10Milliseconds = 30
    private static let (senderReport, receiverReport, sourceDescription, goodbye, extendedReport) =
      (200, 201, 202, 203, 207)

    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory(prefix: "comlink-test") }

    @Test func `tshark decodes a talk from the first report to the goodbye`() throws {
      let ports = try LoopbackPorts.free(2)
      let dissection = try dissectTalk(on: ports)
      for datagram in dissection.datagrams {
        #expect(datagram.remarks.isEmpty && !datagram.isMalformed, "\(datagram)")
        #expect(datagram.protocols.hasSuffix(":udp:rtp:opus") || !datagram.rtcpTypes.isEmpty)
      }
      for port in ports {
        try checkSound(dissection.datagrams(from: port).compactMap(\.rtp))
        checkReports(dissection.datagrams(from: port).filter { $0.rtp == nil })
      }
      let last = try #require(dissection.datagrams(from: ports[0]).last)
      #expect(last.rtcpTypes == [Self.receiverReport, Self.sourceDescription, Self.goodbye])
    }

    @Test func `a report whose length is wrong is complained about`() throws {
      let port = try LoopbackPorts.free(1)[0]
      let capture = try PacketCapture(udpPorts: [port], in: directory)
      // An empty receiver report that claims another report block than it has.
      try LoopbackSocket().send([0x81, 201, 0, 7, 0, 0, 0, 1], to: port)
      try capture.stop()
      let dissection = try Dissection(
        of: capture.path, rtpPorts: [port], opusPayloadType: Self.payloadType, in: directory)
      let datagram = try #require(dissection.datagrams.first)
      #expect(!datagram.remarks.isEmpty || datagram.isMalformed)
    }

    /// Both talk for some seconds, then the first says goodbye.
    private func dissectTalk(on ports: [Int]) throws -> Dissection {
      let capture = try PacketCapture(udpPorts: ports, in: directory)
      var options = NodeProcess.Options(port: ports[0])
      options.peerPorts = [ports[1]]
      options.isClear = true
      var other = NodeProcess.Options(port: ports[1])
      other.isClear = true
      let speech = try Speech.sentences()
      let stations = try [options, other].enumerated().map {
        try Station("N\($0)", periodFrames: 256, options: $1, recordSeconds: 0, in: directory)
      }
      // An array lives until its last use only, and what is in it ends with it.
      defer { withExtendedLifetime(stations) {} }
      for station in stations {
        try station.node.waitUntilConnected(peers: 1, within: 30)
        try station.prepareToSay(speech, loops: true)
        try station.mouth.start()
      }
      for station in stations {
        try waitUntil("five seconds of sound", within: 60) { () throws(RigError) in
          try station.node.status().peers.first?.received ?? 0 > 500
        }
      }
      try #require(stations[0].node.process.terminate() != nil)
      try capture.stop()
      return try Dissection(
        of: capture.path, rtpPorts: ports, opusPayloadType: Self.payloadType, in: directory)
    }

    private func checkSound(_ packets: [Dissection.RTP]) throws {
      let first = try #require(packets.first)
      #expect(packets.count > 500)
      var previous = first
      for packet in packets {
        #expect(packet.version == 2)
        #expect(packet.payloadType == Self.payloadType)
        #expect(packet.ssrc == first.ssrc)
        #expect(packet.extensionIdentifiers == [1], "the audio level (RFC 6464)")
        #expect(packet.opusConfiguration == Self.fullBand10Milliseconds)
        if packet != first {
          #expect(packet.sequenceNumber == (previous.sequenceNumber + 1) % 65536)
          let frames = packet.timestamp &- previous.timestamp
          #expect(frames > 0 && frames % 480 == 0)
        }
        previous = packet
      }
    }

    private func checkReports(_ compounds: [Dissection.Datagram]) {
      // One at once, then no less often than every 1.25 s (RFC 3550 §6.2, randomised).
      #expect(compounds.count >= 4)
      for compound in compounds {
        #expect(compound.rtcpLengthChecks == [true])
        // RFC 3550 §6.1: a report first, then the canonical name.
        #expect([Self.senderReport, Self.receiverReport].contains(compound.rtcpTypes.first))
        #expect(compound.rtcpTypes.dropFirst().first == Self.sourceDescription)
      }
      let types = Set(compounds.flatMap(\.rtcpTypes))
      #expect(
        types.subtracting([Self.goodbye])
          == [Self.senderReport, Self.receiverReport, Self.sourceDescription, Self.extendedReport])
    }
  }
}
