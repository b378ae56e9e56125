import StatusSchema
import TestKit
import Testing

@testable import TestRig

extension FaultTests {
  /// Strangers and peers that send nonsense to a node that is being talked to.
  @Suite struct BadDatagramTests {
    private typealias Case = (reason: String, bytes: [UInt8])

    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory(prefix: "comlink-test") }

    /// RTP of strangers is not even parsed; reports are, because they may be a new peer's.
    private static func strangersRubbish(ssrcOfA: UInt32) -> [Case] {
      let report = Datagram.receiverReport
      return [
        ("notRTP", []), ("notRTP", [0x80]), ("notRTP", Array("GET / HTTP/1.1\r\n\r\n".utf8)),
        ("notRTP", [0x40] + Datagram.media(ssrc: ssrcOfA).dropFirst()),
        ("notRTP", [0, 1, 0, 0, 0x21, 0x12, 0xa4, 0x42]),
        ("unknownSource", Array(Datagram.media(ssrc: ssrcOfA).prefix(7))),
        ("unknownSource", Datagram.media(ssrc: ssrcOfA)),
        ("unknownSource", Datagram.media(ssrc: 7, payloadType: 0)),
        ("oversized", [UInt8](repeating: 0x80, count: 1501)),
        ("oversized", [UInt8](repeating: 0x80, count: 2047)),
        ("oversized", [UInt8](repeating: 0x80, count: 60_000)),
        ("malformed.compoundLength", Array(report.dropLast())),
        ("malformed.compoundLength", report + [0x80, 201]),
        ("malformed.compoundStart", [0x81, 203, 0, 1, 0, 0, 0, 9]),
        ("malformed.report", [0x81, 201, 0, 1, 0, 0, 0, 9]),
        ("malformed.sourceDescription", report + [0x81, 202, 0, 2, 0, 0, 0, 9, 1, 200, 0, 0]),
        ("malformed.bye", report + [0x9f, 203, 0, 1, 0, 0, 0, 9]),
        ("malformed.padding", [0xa0, 201, 0, 1, 0, 0, 0, 9] + report),
        ("malformed.version", report + [0x40, 201, 0, 1, 0, 0, 0, 9]),
      ]
    }

    @Test func `a stranger's rubbish is counted by its reason and the talk goes on`() throws {
      let talk = try OngoingTalk(isClear: true, in: directory)
      let ssrc = try #require(try OngoingTalk.peerA(of: talk.b.node).ssrc)
      let stranger = try ForeignSocket()
      let rubbish = Self.strangersRubbish(ssrcOfA: ssrc)
      let before = try talk.b.node.status().network.drops
      let hearing = try talk.hearing {
        for _ in 0..<20 {
          for item in rubbish { stranger.send(item.bytes, to: talk.portOfB) }
          pause(seconds: 0.05)
        }
      }
      let status = try talk.b.node.status()
      for reason in Set(rubbish.map(\.reason)) {
        let counted = status.network.drops[reason, default: 0] - before[reason, default: 0]
        #expect(counted == 20 * rubbish.count { $0.reason == reason }, "\(reason)")
      }
      #expect(status.peers.map(\.name) == ["A"])
      #expect(hearing.isUndisturbed, "\(hearing)")
    }

    /// Headers that a peer's packets must not have.
    private static func peersRubbish(ssrc: UInt32) -> [Case] {
      let good = Datagram.media(ssrc: ssrc)
      return [
        ("malformed.truncated", Array(good.prefix(11))),
        ("malformed.headerExtension", [0x90] + good.dropFirst()),
        ("malformed.padding", [0xa0] + good.dropFirst().dropLast() + [200]),
        ("wrongPayloadType", Datagram.media(ssrc: ssrc, payloadType: 0)),
        ("wrongPayloadType", Datagram.media(ssrc: ssrc, payloadType: 96)),
        ("unknownSSRC", Datagram.media(ssrc: ssrc &+ 1)),
        ("oversized", good + [UInt8](repeating: 7, count: 1500)),
      ]
    }

    @Test func `a peer's rubbish is counted by its reason and the others are heard`() throws {
      let talk = try OngoingTalk(isClear: true, in: directory)
      let mallory = try RawPeer("Mallory", meeting: talk.b.node, port: talk.portOfB)
      let rubbish = Self.peersRubbish(ssrc: mallory.ssrc)
      var random = SplitMix64(seed: 0x6f70_7573)
      let before = try talk.b.node.status().network.drops
      let hearing = try talk.hearing {
        try mallory.meet()
        for number in 0..<400 {
          if number % 20 == 0 { for item in rubbish { mallory.send(item.bytes) } }
          mallory.send(Self.garbage(of: mallory, number, using: &random))
          mallory.serve()
          pause(seconds: 0.01)
        }
      }
      let after = try talk.b.node.status().network.drops
      for reason in Set(rubbish.map(\.reason)) {
        let counted = after[reason, default: 0] - before[reason, default: 0]
        #expect(counted == 20 * rubbish.count { $0.reason == reason }, "\(reason)")
      }
      #expect(after["malformed.opus", default: 0] >= 100)
      #expect(hearing.isUndisturbed, "\(hearing)")
    }

    /// A packet of noise; every fourth has no table of contents that can be (RFC 6716 §3.4).
    private static func garbage(
      of peer: RawPeer, _ number: Int, using random: inout SplitMix64
    ) -> [UInt8] {
      let length = Int.random(in: 1...1200, using: &random)
      let noise = (0..<length).map { _ in UInt8.random(in: .min ... .max, using: &random) }
      return Datagram.media(
        ssrc: peer.ssrc, sequence: UInt16(number), timestamp: UInt32(number * 480),
        payload: number % 4 == 0 ? [0xff, 0xff, 0xff] : noise)
    }
  }
}
