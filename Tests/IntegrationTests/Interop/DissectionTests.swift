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
    private static let (senderReport, receiverReport, sourceDescription, extendedReport) =
      (200, 201, 202, 207)

    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory(prefix: "comlink-test") }

    @Test func `tshark decodes what a node sends in a talk, from its first report on`() throws {
      let (dissection, port) = try dissectTalk()
      for datagram in dissection.datagrams {
        #expect(datagram.remarks.isEmpty && !datagram.isMalformed, "\(datagram)")
        #expect(datagram.protocols.hasSuffix(":udp:rtp:opus") || !datagram.rtcpTypes.isEmpty)
      }
      try checkSound(dissection.datagrams(from: port).compactMap(\.rtp))
      checkReports(dissection.datagrams(from: port).filter { $0.rtp == nil })
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

    /// What a node sends to a member that says what it hears, for some seconds, decrypted by that member; and whence.
    private func dissectTalk() throws -> (Dissection, port: Int) {
      let ports = try LoopbackPorts.free(2)
      let capture = try PacketCapture(udpPorts: [ports[1]], in: directory)
      let station = try Station(
        "N", periodFrames: 256, options: NodeProcess.Options(port: ports[0]), recordSeconds: 0,
        in: directory)
      let relay = try MediaRelay(
        from: station.node, at: ports[0], to: ports[1], .mediaAndReports, echoes: true)
      defer { try? relay.stop() }
      try station.node.waitUntilConnected(peers: 1, within: 30)
      try station.prepareToSay(try Speech.sentences(), loops: true)
      try station.mouth.start()
      try waitUntil("five seconds of sound", within: 60) { () throws(RigError) in
        try station.node.status().peers.first?.received ?? 0 > 500
      }
      try relay.stop()
      try capture.stop()
      let dissection = try Dissection(
        of: capture.path, rtpPorts: [ports[1]], opusPayloadType: Self.payloadType, in: directory)
      return (dissection, relay.port)
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
        types
          == [Self.senderReport, Self.receiverReport, Self.sourceDescription, Self.extendedReport])
    }
  }
}
