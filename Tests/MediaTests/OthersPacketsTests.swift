import RTP
import TestKit
import Testing

@testable import Media

/// A stream of which the receiver is sent some packets only, as others are for somebody else.
@Suite struct OthersPacketsTests {
  private let probe = StreamProbe(
    PeerStreamConfiguration(playoutDelay: .fixed(nanoseconds: 10_000_000)))
  private let forge = PacketForge()

  /// A packet with a run, or a notice.
  private func receive(_ index: Int, run: UInt8?, isForUs: Bool = true) {
    let payload = forge.tone(index)
    let header = RTPHeader(
      marker: false, payloadType: 111, sequenceNumber: forge.firstSequence.advanced(by: index),
      timestamp: forge.firstTimestamp.advanced(by: index * forge.durationFrames),
      ssrc: forge.ssrc, run: run)
    probe.stream.receive(
      header, payload: unsafe payload.span.bytes, isForUs: isForUs,
      arrivalNanoseconds: Int64(index) * 2_500_000)
  }

  @Test func `what came before a run is not lost, concealed or asked for`() {
    for index in 0..<40 {
      receive(index, run: nil)
      probe.play(untilMilliseconds: Double(index) * 2.5)
    }
    // The talker turns to others: a notice, and one each 400 ms, under the numbers of what they get.
    for index in [40, 200, 360] {
      probe.play(untilMilliseconds: Double(index) * 2.5)
      receive(index, run: 0, isForUs: false)
    }
    #expect(!probe.stream.isPlaying)
    for index in 500..<560 {
      probe.play(untilMilliseconds: Double(index) * 2.5)
      receive(index, run: UInt8(index - 500))
    }
    #expect(probe.stream.isPlaying)
    let statistics = probe.statistics
    #expect(statistics.lost == 0 && statistics.late == 0 && statistics.restarts == 0)
    #expect(statistics.concealedFrames == 0 && statistics.notices == 3 && statistics.starts == 2)
    #expect(statistics.received == 103 && statistics.discarded.total == 0)
    var numbers = [SequenceNumber](repeating: SequenceNumber(rawValue: 0), count: 32)
    var room = numbers.mutableSpan
    let asked = probe.stream.takeRequests(
      roundTripNanoseconds: 1_000_000, nowNanoseconds: 1_400_000_000, into: &room)
    #expect(asked == 0)
  }

  @Test func `what is missing within a run is lost`() {
    for index in 0..<40 { receive(index, run: nil) }
    receive(40, run: 0, isForUs: false)
    probe.play(untilMilliseconds: 100)
    for index in 100..<140 where index != 110 && index != 120 {
      receive(index, run: UInt8(index - 100))
      probe.play(untilMilliseconds: Double(index) * 2.5)
    }
    probe.play(untilMilliseconds: 400)
    #expect(probe.statistics.lost == 2)
  }

  @Test func `any run is taken without harm`() {
    var random = SplitMix64(seed: 34)
    for index in 0..<4000 where Int.random(in: 0..<3, using: &random) > 0 {
      let jump = Int.random(in: 0..<40, using: &random) == 0 ? 200 : 0
      receive(
        index + jump, run: Bool.random(using: &random) ? nil : .random(in: 0...255, using: &random),
        isForUs: Int.random(in: 0..<4, using: &random) > 0)
      probe.play(untilMilliseconds: Double(index) * 2.5)
    }
    let statistics = probe.statistics
    #expect(statistics.received > 2000 && statistics.played > 100)
  }

  @Test func `reports count no loss of what was for others`() {
    var reception = ReceptionStatistics()
    func receive(_ number: UInt16, run: UInt8?) {
      _ = reception.receive(
        RTPHeader(
          marker: false, payloadType: 111, sequenceNumber: SequenceNumber(rawValue: number),
          timestamp: RTPTimestamp(rawValue: UInt32(number) * 480), ssrc: SSRC(rawValue: 1),
          run: run), arrivalNanoseconds: Int64(number) * 10_000_000)
    }
    for number in 0..<10 as Range<UInt16> { receive(number, run: nil) }
    receive(50, run: 0)
    receive(90, run: 0)
    for number in 100..<110 as Range<UInt16> { receive(number, run: UInt8(number - 100)) }
    #expect(reception.cumulativeLost == 0)
    receive(112, run: 12)
    #expect(reception.cumulativeLost == 2)
  }
}
