import Remote
import StatusSchema
import TestKit
import Testing

@testable import TestRig

extension FaultTests {
  /// More rubbish than a node could keep, and what it keeps of it.
  @Suite struct FloodTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory(prefix: "comlink-test") }

    private static func megabytes(_ node: NodeProcess) throws -> Double {
      try #require(
        ProcessUsage.proportionalSetMegabytes(
          of: node.process.identifier, excluding: ["/dev/shm/jack"]))
    }

    @Test func `a flood of forged sources costs neither memory nor places nor sound`() throws {
      let talk = try OngoingTalk(in: directory)
      let strangers = try (1...200).map { number throws(RigError) in
        try ForeignSocket(host: UInt8(number % 8 + 1))
      }
      let before = try Self.megabytes(talk.b.node)
      var mostPeers = 0
      var random = SplitMix64(seed: 0x666c_6f6f_64)
      let hearing = try talk.hearing(seconds: 5) {
        for round in 0..<100 {
          for (number, stranger) in strangers.enumerated() {
            let ssrc = UInt32.random(in: 1 ... .max, using: &random)
            stranger.send(Datagram.media(ssrc: ssrc), to: talk.portOfB)
            let name = "\(round)-\(number)-\(ssrc)"
            stranger.send(
              Datagram.report(ssrc: ssrc, canonicalName: name, name: name), to: talk.portOfB)
          }
          if round % 10 == 0 {
            mostPeers = max(mostPeers, try talk.b.node.status().peers.count)
          }
          pause(seconds: 0.02)
        }
      }
      let status = try talk.b.node.status()
      #expect(mostPeers == 1)
      #expect(status.peers.filter { $0.state == .connected }.map(\.name) == ["A"])
      #expect(status.network.drops["unknownSource", default: 0] > 20_000)
      #expect(talk.b.node.process.output.split(separator: "\n").count < 100)
      #expect(try Self.megabytes(talk.b.node) < before + 6)
      #expect(hearing.isUndisturbed, "\(hearing)")
    }

    /// Which share of a processor a node takes.
    private static func cpuRate(
      of node: NodeProcess, seconds: Double
    ) throws -> Double {
      let before = try usage(of: node)
      pause(seconds: seconds)
      let after = try usage(of: node)
      return (after.cpuSeconds - before.cpuSeconds) / (after.seconds - before.seconds)
    }

    /// Time on a processor and by the clock, as a node has used it so far.
    private static func usage(
      of node: NodeProcess
    ) throws -> (cpuSeconds: Double, seconds: Double) {
      let usage = try #require(ProcessUsage(of: node.process.identifier))
      return (usage.cpuSeconds, Double(usage.nanoseconds) / 1e9)
    }

    @Test func `a flood of forged media and reports does nothing to encrypted sound, and is cheap`()
      throws
    {
      let talk = try OngoingTalk(in: directory)
      let strangers = try (1...50).map { number throws(RigError) in
        try ForeignSocket(host: UInt8(number % 8 + 1))
      }
      let before = try Self.megabytes(talk.b.node)
      let ssrcOfA = try #require(try talk.b.node.status().peers.first?.ssrc)
      var random = SplitMix64(seed: 0x666c_6f6f_65)
      // Without a word from A: what B does anyway, for its JACK server and its own microphone.
      _ = try talk.a.node.ask(.talk(isOn: false))
      pause(seconds: 1)
      let idle = try Self.cpuRate(of: talk.b.node, seconds: 4)
      _ = try talk.a.node.ask(.talk(isOn: true))
      let start = try Self.usage(of: talk.b.node)
      let quiet = try talk.hearing(seconds: 5)
      let middle = try Self.usage(of: talk.b.node)
      let hearing = try talk.hearing(seconds: 5) {
        for round in 0..<100 {
          for number in strangers.indices {
            // Every other one claims to be the member that is heard.
            let ssrc = number % 2 == 0 ? ssrcOfA : UInt32.random(in: 1 ... .max, using: &random)
            for _ in 0..<2 { strangers[number].send(Datagram.media(ssrc: ssrc), to: talk.portOfB) }
            strangers[number].send(
              Datagram.report(ssrc: ssrc, canonicalName: "\(round)", name: "A"), to: talk.portOfB)
          }
          pause(seconds: 0.02)
        }
      }
      let end = try Self.usage(of: talk.b.node)
      let status = try talk.b.node.status()
      #expect(status.peers.map(\.name) == ["A"])
      let drops = status.network.drops
      let refused = ["notAuthentic", "unknownKey", "malformed.srtp"].reduce(0) {
        $0 + (drops[$1] ?? 0)
      }
      #expect(refused > 1000, "\(drops)")
      #expect(drops["unknownSource", default: 0] > 1000, "\(drops)")
      #expect(try Self.megabytes(talk.b.node) < before + 6)
      #expect(hearing.isUndisturbed, "\(hearing)")
      // What each packet of the talk takes, against what came on top, by the forged ones.
      let rest = (middle.cpuSeconds - start.cpuSeconds) / (middle.seconds - start.seconds)
      let genuine = (rest - idle) * (middle.seconds - start.seconds) / Double(quiet.received)
      let forged =
        (end.cpuSeconds - middle.cpuSeconds - rest * (end.seconds - middle.seconds))
        / Double(refused + drops["unknownSource", default: 0])
      // It takes a seventieth of it; decrypted and decoded first, it would take as much.
      #expect(10 * forged < genuine, "\(forged * 1e6) µs, a genuine one \(genuine * 1e6) µs")
    }

    @Test func `a peer that changes its stream and its name all the time costs no memory`() throws {
      let talk = try OngoingTalk(in: directory)
      let mallory = try RawPeer("Mallory", meeting: talk.b.node, port: talk.portOfB)
      let before = try Self.megabytes(talk.b.node)
      var random = SplitMix64(seed: 0x6e61_6d65)
      var peerCount = 0
      let hearing = try talk.hearing {
        try mallory.meet()
        for round in 0..<100 {
          for _ in 0..<200 {
            mallory.send(Datagram.media(ssrc: .random(in: 1 ... .max, using: &random)))
          }
          for number in 0..<50 {
            mallory.sendSealed(mallory.report(named: "\(round) \(number)"), isReport: true)
          }
          mallory.serve()
          pause(seconds: 0.02)
        }
        peerCount = try talk.b.node.status().peers.count
      }
      let status = try talk.b.node.status()
      #expect(peerCount == 2)
      #expect(status.network.drops["unknownSSRC", default: 0] > 10_000)
      #expect(try Self.megabytes(talk.b.node) < before + 6)
      #expect(hearing.isUndisturbed, "\(hearing)")
    }

    @Test func `a hundred thousand random datagrams change nothing for the others`() throws {
      let talk = try OngoingTalk(in: directory)
      let mallory = try RawPeer("Mallory", meeting: talk.b.node, port: talk.portOfB)
      let strangers = [try ForeignSocket(), try ForeignSocket(host: 7)]
      let received = try talk.b.node.status().network.packetsReceived
      let before = try Self.megabytes(talk.b.node)
      let seed = UInt64.random(in: .min ... .max)
      var random = SplitMix64(seed: seed)
      let seeds = [
        Datagram.media(ssrc: mallory.ssrc), mallory.report(nowNanoseconds: 0),
        Datagram.report(ssrc: 77, canonicalName: "77"),
        Datagram.media(ssrc: mallory.ssrc, sequence: 9, payload: [UInt8](repeating: 9, count: 90)),
      ]
      let hearing = try talk.hearing {
        try mallory.meet()
        for number in 0..<100_000 {
          let bytes = Datagram.fuzzed(seeds, using: &random)
          switch number % 4 {
          case 0: mallory.send(bytes)
          case 1: mallory.sendSealedRubbish(bytes, using: &random)
          case let other: strangers[other - 2].send(bytes, to: talk.portOfB)
          }
          if number % 100 == 0 {
            mallory.serve()
            pause(seconds: 0.003)
          }
        }
      }
      let status = try talk.b.node.status()
      let dropped = status.network.drops
      let kernelDrops = dropped["kernelBufferFull", default: 0] + dropped["oversized", default: 0]
      #expect(
        status.network.packetsReceived - received + kernelDrops >= 100_000, "seed \(seed)")
      #expect(Set(dropped.keys).count >= 10, "seed \(seed): \(dropped)")
      #expect(try Self.megabytes(talk.b.node) < before + 6, "seed \(seed)")
      #expect(hearing.isUndisturbed, "seed \(seed): \(hearing)")
    }
  }
}
