import Media
import RTP
import TestKit
import Testing

/// What becomes of single packets.
@Suite struct PeerStreamTests {
  static let fixed = PeerStreamConfiguration(playoutDelay: .fixed(nanoseconds: 20_000_000))

  /// A probe that has played some packets sent every 2.5 ms and arriving at once.
  private static func playing(_ forge: PacketForge = PacketForge(), count: Int = 40) -> StreamProbe
  {
    let probe = StreamProbe(fixed)
    for index in 0..<count {
      probe.receive(forge.datagram(index), atMilliseconds: Double(index) * 2.5)
      probe.play(untilMilliseconds: Double(index) * 2.5)
    }
    return probe
  }

  @Test func `a stream starts at arrival plus delay`() throws {
    let probe = StreamProbe(Self.fixed)
    #expect(probe.stream.startNanoseconds == nil)
    probe.receive(PacketForge().datagram(0), atMilliseconds: 3)
    #expect(probe.stream.startNanoseconds == 23_000_000)
    probe.play(untilMilliseconds: 22)
    #expect(!probe.stream.isPlaying)
    probe.play(untilMilliseconds: 24)
    #expect(probe.stream.isPlaying)
    #expect(probe.stream.startNanoseconds == nil)
  }

  @Test func `packets in any order are played in order`() {
    let forge = PacketForge()
    let probe = StreamProbe(Self.fixed)
    for index in [2, 0, 1, 4, 3, 7, 6, 5] {
      probe.receive(forge.datagram(index), atMilliseconds: 5)
    }
    probe.play(untilMilliseconds: 44)
    let statistics = probe.statistics
    #expect(statistics.played == 8)
    #expect(statistics.lost == 0 && statistics.late == 0 && statistics.discarded.total == 0)
  }

  @Test func `a copy is a duplicate whether waiting played or late`() {
    let forge = PacketForge()
    let probe = Self.playing()
    probe.receive(forge.datagram(38), atMilliseconds: 100)
    probe.receive(forge.datagram(5), atMilliseconds: 100)
    #expect(probe.statistics.duplicate == 2)
    probe.receive(forge.datagram(50), atMilliseconds: 101)
    probe.play(untilMilliseconds: 150)
    #expect(probe.statistics.lost == 10)
    probe.receive(forge.datagram(44), atMilliseconds: 150)
    probe.receive(forge.datagram(44), atMilliseconds: 150)
    #expect(probe.statistics.late == 1)
    #expect(probe.statistics.duplicate == 3)
    #expect(probe.statistics.lost == 9)
  }

  @Test func `a packet older than the memory is discarded`() {
    let probe = Self.playing(count: 200)
    probe.receive(PacketForge().datagram(60), atMilliseconds: 500)
    #expect(probe.statistics.discarded.unproven + probe.statistics.discarded.tooOld == 1)
  }

  @Test(
    arguments: [
      ([], \PacketDiscards.malformed), ([0xFF], \.malformed), ([0x03, 0x00], \.malformed),
      ([0xE1, 0, 0, 0], \.malformed), ([UInt8](repeating: 0xE0, count: 1277), \.malformed),
      ([0xE1] + [UInt8](repeating: 0, count: 1278), \.oversized),
    ] as [([UInt8], KeyPath<PacketDiscards, Int> & Sendable)])
  func `bad payloads are discarded by reason`(
    payload: [UInt8], reason: KeyPath<PacketDiscards, Int> & Sendable
  ) {
    let probe = Self.playing()
    let isOversized = payload.count > PeerStream.maximumPayloadBytes
    probe.receive(PacketForge().datagram(40, payload: payload), atMilliseconds: 100)
    #expect(probe.statistics.discarded.total == 1)
    #expect(probe.statistics.discarded[keyPath: isOversized ? \.oversized : reason] == 1)
    #expect(probe.stream.isPlaying)
  }

  @Test func `what the decoder refuses is concealed`() {
    let probe = Self.playing()
    let forge = PacketForge()
    probe.receive(forge.datagram(40, payload: [0xE0, 1, 2, 3]), atMilliseconds: 100)
    probe.receive(forge.datagram(41), atMilliseconds: 102)
    probe.play(untilMilliseconds: 122)
    #expect(probe.statistics.decoderErrors == 1)
    #expect(probe.statistics.concealedFrames == 120)
    #expect(probe.statistics.concealmentEvents == 1)
    #expect(probe.statistics.lost == 0)
  }

  @Test(
    arguments: [
      // Code 1: two 20 ms; code 3: three 20 ms, six 20 ms, one 2.5 ms.
      ([0xF9, 1, 1], 1920), ([0xFB, 0x03, 1, 1, 1], 2880), ([0xFB, 0x06, 1, 1, 1, 1, 1, 1], 5760),
      ([0xE3, 0x01, 1], 120),
    ] as [([UInt8], Int)])
  func `packets of several codec frames last their sum`(payload: [UInt8], frames: Int) {
    var forge = PacketForge()
    forge.durationFrames = frames
    let probe = StreamProbe(Self.fixed)
    for index in 0..<4 {
      probe.receive(
        forge.datagram(index, payload: payload), atMilliseconds: Double(index * frames) / 48)
      probe.play(untilMilliseconds: Double(index * frames) / 48)
    }
    probe.play(untilMilliseconds: Double(4 * frames) / 48 + 19)
    // The fake codec decodes none of them: as many frames are concealed as they announce.
    #expect(probe.statistics.concealedFrames == 4 * frames)
    #expect(probe.statistics.played == 4)
  }

  @Test func `the packet duration may change mid stream`() {
    let probe = StreamProbe(Self.fixed)
    var (frame, index) = (0, 0)
    let durations = [120, 960, 240, 2880, 480, 1920, 120, 120, 2880, 240]
    for duration in Array(repeating: 120, count: 16) + durations {
      var forge = PacketForge()
      forge.durationFrames = duration
      let payload = forge.tone(0)
      forge.firstSequence = forge.firstSequence.advanced(by: index)
      forge.firstTimestamp = forge.firstTimestamp.advanced(by: frame)
      let complete = Double(frame + duration) / 48
      probe.play(untilMilliseconds: complete)
      probe.receive(forge.datagram(0, payload: payload), atMilliseconds: complete)
      (frame, index) = (frame + duration, index + 1)
    }
    probe.play(untilMilliseconds: Double(frame) / 48 + 100)
    let statistics = probe.statistics
    #expect(statistics.played == 26 && statistics.lost == 0)
    #expect(statistics.restarts == 0 && statistics.discarded.total == 0)
  }

  @Test func `a sender that starts anew is followed after two packets`() {
    let probe = Self.playing()
    var forge = PacketForge()
    forge.firstSequence = SequenceNumber(rawValue: 20_000)
    forge.firstTimestamp = RTPTimestamp(rawValue: 12_345)
    for index in 0..<40 {
      probe.receive(forge.datagram(index), atMilliseconds: 200 + Double(index) * 2.5)
      probe.play(untilMilliseconds: 200 + Double(index) * 2.5)
    }
    #expect(probe.statistics.restarts == 1)
    #expect(probe.statistics.discarded.unproven == 1)
    #expect(probe.statistics.lost == 0)
    #expect(probe.stream.isPlaying)
    #expect(probe.decoder.resetCount == 2)
  }

  /// The last two in a row prove the stream; what came before, whether sent earlier or later, was thrown away.
  @Test(
    arguments: [
      ([0, 2, 3, 1, 4, 5, 6], 2, 1, 4), ([0, 4, 2, 3, 5, 1, 6], 3, 1, 3),
      ([3, 5, 1, 2, 4, 6, 7], 3, 0, 4),
    ] as [([Int], Int, Int, Int)])
  func `what was thrown away before a stream was proven is not lost`(
    order: [Int], unproven: Int, tooOld: Int, played: Int
  ) {
    let probe = Self.playing()
    probe.play(untilMilliseconds: 300)
    var forge = PacketForge()
    forge.firstSequence = SequenceNumber(rawValue: 20_000)
    for (place, index) in order.enumerated() {
      probe.receive(forge.datagram(index), atMilliseconds: 300 + Double(place) * 2.5)
    }
    probe.play(untilMilliseconds: 400)
    let statistics = probe.statistics
    #expect(statistics.restarts == 1)
    #expect(statistics.lost == 0)
    #expect(statistics.discarded.unproven == unproven)
    #expect(statistics.discarded.tooOld == tooOld)
    #expect(statistics.played == 40 + played)
  }

  @Test func `garbage of the same source does not disturb a good stream`() {
    let probe = Self.playing()
    let forge = PacketForge()
    var random = SplitMix64(seed: 5)
    for index in 40..<400 {
      for _ in 0..<3 {
        var garbage = PacketForge()
        garbage.firstSequence = SequenceNumber(rawValue: UInt16(20_000 + index % 3))
        garbage.firstTimestamp = RTPTimestamp(
          rawValue: UInt32.random(in: 0 ... .max, using: &random))
        probe.receive(garbage.datagram(0), atMilliseconds: Double(index) * 2.5)
        probe.receive(garbage.datagram(1), atMilliseconds: Double(index) * 2.5)
      }
      probe.receive(forge.datagram(index), atMilliseconds: Double(index) * 2.5)
      probe.play(untilMilliseconds: Double(index) * 2.5)
    }
    #expect(probe.statistics.restarts == 0)
    #expect(probe.statistics.discarded.unproven == 360 * 6)
    #expect(probe.statistics.concealedFrames == 0)
  }

  @Test func `another source takes over only when the old one is silent`() {
    let probe = Self.playing()
    var other = PacketForge()
    other.ssrc = SSRC(rawValue: 2)
    let good = PacketForge()
    for index in 40..<80 {
      probe.receive(good.datagram(index), atMilliseconds: Double(index) * 2.5)
      probe.receive(other.datagram(index), atMilliseconds: Double(index) * 2.5)
      probe.play(untilMilliseconds: Double(index) * 2.5)
    }
    #expect(probe.statistics.ssrc == good.ssrc)
    // The good one's last packet came at 197.5 ms.
    for index in 80..<170 {
      probe.receive(other.datagram(index), atMilliseconds: Double(index) * 2.5)
      probe.play(untilMilliseconds: Double(index) * 2.5)
      #expect(probe.statistics.ssrc == (index < 159 ? good.ssrc : other.ssrc))
    }
    #expect(probe.statistics.restarts == 1)
  }

  @Test func `an expected source takes over at once`() {
    let probe = Self.playing()
    var other = PacketForge()
    other.ssrc = SSRC(rawValue: 2)
    probe.stream.expect(other.ssrc)
    probe.receive(other.datagram(0), atMilliseconds: 100)
    #expect(probe.statistics.ssrc == other.ssrc)
    #expect(ScenarioTests.isBalanced(probe.statistics))
  }

  @Test func `a flood of forged sources changes nothing`() {
    let probe = Self.playing()
    for source in 0..<5000 {
      var forged = PacketForge()
      forged.ssrc = SSRC(rawValue: UInt32(100 + source))
      probe.receive(forged.datagram(0), atMilliseconds: 100)
    }
    #expect(probe.statistics.discarded.unproven == 5000)
    #expect(probe.statistics.restarts == 0)
    #expect(probe.stream.isPlaying)
  }

  @Test func `reset forgets the stream and keeps the counts`() {
    let probe = Self.playing()
    let received = probe.statistics.received
    probe.stream.reset()
    #expect(!probe.stream.isPlaying)
    #expect(probe.statistics.ssrc == nil)
    #expect(probe.statistics.received == received)
    #expect(probe.renderOnce() == 0)
    #expect(ScenarioTests.isBalanced(probe.statistics))
  }
}
