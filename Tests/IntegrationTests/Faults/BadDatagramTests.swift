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

    /// Nothing of strangers is even parsed; what claims to be a member's is checked first.
    private static func strangersRubbish(ssrcOfA: UInt32) -> [Case] {
      let report = Datagram.receiverReport
      return [
        ("notRTP", []), ("notRTP", [0x80]), ("notRTP", Array("GET / HTTP/1.1\r\n\r\n".utf8)),
        ("notRTP", [0x40] + Datagram.media(ssrc: ssrcOfA).dropFirst()),
        ("notRTP", [0, 1, 0, 0, 0x21, 0x12, 0xa4, 0x42]),
        ("unknownSource", Array(Datagram.media(ssrc: ssrcOfA).prefix(7))),
        ("unknownSource", Datagram.media(ssrc: 7, payloadType: 0)),
        ("unknownSource", Datagram.report(ssrc: 7, canonicalName: "7")),
        ("unknownSource", report), ("unknownSource", Array(report.dropLast())),
        ("malformed.srtp", Datagram.media(ssrc: ssrcOfA)),
        ("malformed.srtp", [0x80, 201, 0, 1] + Datagram.octets(of: ssrcOfA)),
        // Of A's first key, and the last number that there is.
        (
          "notAuthentic",
          [0x80, 201, 0, 1] + Datagram.octets(of: ssrcOfA) + [UInt8](repeating: 0, count: 40)
            + [0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0]
        ),
        (
          "unknownKey",
          Datagram.media(ssrc: ssrcOfA, payload: [UInt8](repeating: 0x55, count: 60))
        ),
        (
          "unknownKey",
          [0x80, 201, 0, 1] + Datagram.octets(of: ssrcOfA) + [UInt8](repeating: 0x55, count: 60)
        ),
        ("oversized", [UInt8](repeating: 0x80, count: 1501)),
        ("oversized", [UInt8](repeating: 0x80, count: 2047)),
        ("oversized", [UInt8](repeating: 0x80, count: 60_000)),
      ]
    }

    @Test func `a stranger's rubbish is counted by its reason and the talk goes on`() throws {
      let talk = try OngoingTalk(in: directory)
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

    /// What a member's datagrams must not be, with its key or without.
    private static func peersRubbish(of peer: RawPeer) -> [(reason: String, send: () -> Void)] {
      let (good, report) = (Datagram.media(ssrc: peer.ssrc), peer.emptyReport)
      let octets = peer.octets
      func sealed(_ compound: [UInt8]) -> () -> Void {
        { peer.sendSealed(compound, isReport: true) }
      }
      return [
        ("unknownSSRC", { peer.send(Array(good.prefix(11))) }),
        ("unknownSSRC", { peer.send(Datagram.media(ssrc: peer.ssrc &+ 1)) }),
        ("unknownSSRC", { peer.sendMedia(isResentStream: true) }),
        ("malformed.srtp", { peer.send(good) }),
        ("malformed.srtp", { peer.send([0x90] + good.dropFirst()) }),
        ("malformed.padding", { peer.sendMedia([0xf0, 1, 2, 200], isPadded: true) }),
        ("wrongPayloadType", { peer.sendMedia(payloadType: 0) }),
        ("wrongPayloadType", { peer.sendMedia(payloadType: 96) }),
        ("oversized", { peer.send(good + [UInt8](repeating: 7, count: 1500)) }),
        ("malformed.compoundLength", sealed(report + report.dropLast())),
        ("malformed.compoundLength", sealed(report + [0x80, 201])),
        ("malformed.compoundStart", sealed([0x81, 203, 0, 1] + octets)),
        ("malformed.report", sealed([0x81, 201, 0, 1] + octets)),
        (
          "malformed.sourceDescription",
          sealed(report + [0x81, 202, 0, 2] + octets + [1, 200, 0, 0])
        ),
        ("malformed.bye", sealed(report + [0x9f, 203, 0, 1] + octets)),
        ("malformed.padding", sealed([0xa0, 201, 0, 1] + octets + report)),
        ("malformed.version", sealed(report + [0x40, 201, 0, 1] + octets)),
        ("unprovedGoodbye", sealed(report + [0x81, 203, 0, 1] + octets)),
      ]
    }

    @Test func `a peer's rubbish is counted by its reason and the others are heard`() throws {
      let talk = try OngoingTalk(in: directory)
      let mallory = try RawPeer("Mallory", meeting: talk.b.node, port: talk.portOfB)
      let rubbish = Self.peersRubbish(of: mallory)
      var random = SplitMix64(seed: 0x6f70_7573)
      let before = try talk.b.node.status().network.drops
      let hearing = try talk.hearing {
        try mallory.meet()
        for number in 0..<400 {
          if number % 20 == 0 { for item in rubbish { item.send() } }
          mallory.sendMedia(Self.garbage(number, using: &random))
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

    /// A payload of noise; every fourth has no table of contents that can be (RFC 6716 §3.4).
    private static func garbage(_ number: Int, using random: inout SplitMix64) -> [UInt8] {
      guard number % 4 != 0 else { return [0xff, 0xff, 0xff] }
      let length = Int.random(in: 1...1200, using: &random)
      return (0..<length).map { _ in UInt8.random(in: .min ... .max, using: &random) }
    }
  }
}
