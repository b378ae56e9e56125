import Media
import RTP
import TestKit
import Testing

@Suite struct FuzzTests {
  /// Random bytes, random packets, and damaged copies of good ones, between those of a good stream.
  @Test func `a hundred thousand bad datagrams never trap nor stop a good stream`() {
    let probe = StreamProbe()
    let forge = PacketForge()
    var random = SplitMix64(seed: 20_240)
    probe.receive(forge.datagram(0), atMilliseconds: 0)
    for index in 1...2000 {
      let now = Double(index) * 2.5
      for _ in 0..<50 {
        probe.receive(Self.badDatagram(index, forge, &random), atMilliseconds: now)
      }
      probe.receive(forge.datagram(index), atMilliseconds: now)
      probe.play(untilMilliseconds: now)
    }
    let statistics = probe.statistics
    #expect(ScenarioTests.isBalanced(statistics))
    #expect(statistics.received > 60_000)
    #expect(statistics.ssrc == forge.ssrc)
    #expect(statistics.restarts == 0)
    #expect(statistics.played > 1900)
    #expect(probe.stream.isPlaying)
  }

  @Test func `a good stream gets through a flood that was there first`() {
    let probe = StreamProbe()
    let forge = PacketForge()
    var random = SplitMix64(seed: 11)
    for index in 0..<2000 {
      let now = Double(index) * 2.5
      let place = random.next() % 10
      for turn in 0..<10 {
        if turn == place {
          probe.receive(forge.datagram(index), atMilliseconds: now)
          continue
        }
        var forged = forge
        forged.ssrc = SSRC(rawValue: UInt32.random(in: 2 ... .max, using: &random))
        probe.receive(forged.datagram(Int(random.next() % 60_000)), atMilliseconds: now)
      }
      probe.play(untilMilliseconds: now)
    }
    #expect(probe.statistics.ssrc == forge.ssrc)
    #expect(probe.statistics.played > 800)
  }

  /// The same without a good stream: whatever is taken for one.
  @Test func `garbage alone is survived`() {
    let probe = StreamProbe()
    var random = SplitMix64(seed: 7)
    for index in 0..<20_000 {
      var forge = PacketForge()
      forge.ssrc = SSRC(rawValue: UInt32(random.next() % 2))
      forge.firstSequence = SequenceNumber(rawValue: UInt16(random.next() % 300))
      forge.firstTimestamp = RTPTimestamp(
        rawValue: random.chance(0.1) ? UInt32.random(in: 0 ... .max, using: &random) : 0)
      forge.durationFrames = Int(random.next() % 6000)
      let payload = Self.bytes(1 + Int(random.next() % 20), &random)
      probe.receive(
        forge.datagram(Int(random.next() % 300), payload: payload), atMilliseconds: Double(index))
      probe.play(untilMilliseconds: Double(index))
    }
    #expect(ScenarioTests.isBalanced(probe.statistics))
    #expect(probe.statistics.received == 20_000)
  }

  private static func badDatagram(
    _ index: Int, _ forge: PacketForge, _ random: inout SplitMix64
  ) -> [UInt8] {
    switch random.next() % 4 {
    case 0:
      return bytes(Int(random.next() % 1500), &random)
    case 1:
      var datagram = bytes(13 + Int(random.next() % 200), &random)
      datagram[0] = 0x80
      return datagram
    case 2:
      // A true header, another source, a random payload.
      var forged = forge
      forged.ssrc = SSRC(rawValue: UInt32(random.next() % 1000) + 2)
      return forged.datagram(index, payload: bytes(Int(random.next() % 1400), &random))
    default:
      // This source, but sequence and time from elsewhere, or a malformed payload.
      var forged = forge
      if random.chance(0.5) {
        return forge.datagram(index, payload: [0x03])
      }
      forged.firstTimestamp = RTPTimestamp(rawValue: UInt32.random(in: 0 ... .max, using: &random))
      return forged.datagram(index + 5000 + Int(random.next() % 50_000))
    }
  }

  private static func bytes(_ count: Int, _ random: inout SplitMix64) -> [UInt8] {
    (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
  }
}
