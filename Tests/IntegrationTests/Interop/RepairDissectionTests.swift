import RTP
import TestKit
import Testing

@testable import Media
@testable import TestRig

extension RealNodeTests {
  /// Wireshark's dissectors on what only flows when packets get lost.
  @Suite(.enabled(if: PacketCapture.isPermitted, "capturing packets needs root"))
  struct RepairDissectionTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory(prefix: "comlink-test") }

    @Test func `tshark decodes requests loss runs copies and resent packets`() throws {
      let port = try LoopbackPorts.free(1)[0]
      let capture = try PacketCapture(udpPorts: [port], in: directory)
      let socket = try LoopbackSocket()
      for datagram in Self.datagrams() { socket.send(datagram[...], to: port) }
      try capture.stop()
      let dissection = try Dissection(
        of: capture.path, rtpPorts: [port], opusPayloadType: 111, in: directory)
      let datagrams = dissection.datagrams
      try #require(datagrams.count == 4)
      for datagram in datagrams {
        #expect(datagram.remarks.isEmpty && !datagram.isMalformed, "\(datagram)")
      }
      #expect(datagrams[0].rtcpTypes == [205] && datagrams[0].rtcpLengthChecks == [true])
      #expect(datagrams[1].rtcpTypes == [201, 202, 207, 207])
      #expect(datagrams[1].rtcpLengthChecks == [true])
      #expect(datagrams[2].protocols.hasSuffix(":udp:rtp:opus:opus:opus"))
      #expect(datagrams[2].rtp?.payloadType == 112)
      #expect(datagrams[3].rtp?.payloadType == 113)
    }

    /// A request, a report with loss runs, a packet with two copies, a packet sent again.
    private static func datagrams() -> [[UInt8]] {
      let (own, remote) = (SSRC(rawValue: 1), SSRC(rawValue: 2))
      let lost = [65_534, 65_535, 14, 32].map { SequenceNumber(rawValue: $0) }
      let name = Array("node".utf8)
      let encoder = ToneCodec.Encoder()
      let talker = Talker(
        configuration: TalkerConfiguration(
          ssrc: own, framesPerPacket: 480, firstSequenceNumber: SequenceNumber(rawValue: 9),
          firstTimestamp: RTPTimestamp(rawValue: 7), usesDTX: false),
        encoder: encoder)
      let pcm = [Float](repeating: 0.1, count: 480)
      for _ in 0..<4 { _ = talker.encode(pcm.span) }
      return [
        datagram { bytes in
          var writer = RTCPCompoundWriter()
          writer.genericNACK(from: own, of: remote, lost: lost.span, into: &bytes)
          return writer.byteCount
        },
        datagram { bytes in
          var writer = RTCPCompoundWriter()
          writer.report(from: own, info: nil, block: nil, into: &bytes)
          writer.sourceDescription(
            of: own, canonicalName: name.span, name: name.span, into: &bytes)
          for kind in [LossRuns.Kind.received, .repaired] {
            writer.lossRuns(
              kind, from: own, of: remote, begin: lost[0], count: 100, into: &bytes
            ) { $0 % 7 != 0 }
          }
          return writer.byteCount
        },
        datagram { talker.write(RepairRecipe(nearDistance: 1, farDistance: 3), into: &$0) },
        datagram { talker.writeResent(SequenceNumber(rawValue: 10), into: &$0) },
      ]
    }

    private static func datagram(_ fill: (inout MutableRawSpan) -> Int) -> [UInt8] {
      var bytes = [UInt8](repeating: 0, count: 1200)
      var span = bytes.mutableSpan
      var raw = unsafe span.mutableBytes
      let count = fill(&raw)
      return Array(bytes[..<count])
    }
  }
}
