import Media
import RTP
import TestKit
import Testing

/// A packet that comes while sound is invented in its place.
@Suite struct LatePacketTests {
  let forge = PacketForge(durationFrames: 480)
  static let late = 20

  /// Plays 40 packets, one of which comes so much after its turn; the others are there 10 ms before theirs.
  private func probe(
    late milliseconds: Double?, canGoBack: Bool = true
  ) -> StreamProbe {
    let probe = StreamProbe(
      PeerStreamConfiguration(playoutDelay: .fixed(nanoseconds: 10_000_000)))
    probe.decoder.canGoBack = canGoBack
    for index in 0..<40 {
      let start = Double(index * 10)
      if index == Self.late + 1, let milliseconds {
        let turn = Double(Self.late * 10 + 20)
        probe.play(untilMilliseconds: turn + milliseconds)
        probe.receive(forge.datagram(Self.late), atMilliseconds: turn + milliseconds)
      }
      if index != Self.late { probe.receive(forge.datagram(index), atMilliseconds: start + 10) }
      if index != Self.late { probe.play(untilMilliseconds: start + 10) }
    }
    probe.play(untilMilliseconds: 405)
    return probe
  }

  @Test(arguments: [1.0, 4.0, 6.0])
  func `the rest of a late packet sounds`(late milliseconds: Double) {
    let probe = probe(late: milliseconds)
    let statistics = probe.statistics
    let units = (milliseconds / 2.5).rounded(.up)
    #expect(statistics.concealedFrames == Int(units) * 120)
    #expect(statistics.late == 0 && statistics.lost == 0)
    #expect(statistics.insertions == 0 && statistics.removals == 0)
    #expect(probe.decoder.goBackCount == 1)
  }

  /// The rest of its sound is over, but the next packet is to sound as if it had come.
  @Test(arguments: [8.0, 9.5])
  func `a packet that comes when its sound is over still teaches the decoder`(
    late milliseconds: Double
  ) {
    let probe = probe(late: milliseconds)
    #expect(probe.statistics.concealedFrames == 480)
    #expect(probe.statistics.late == 1)
    #expect(probe.decoder.goBackCount == 1)
  }

  @Test func `a packet that does not come is concealed wholly`() {
    let probe = probe(late: nil)
    #expect(probe.statistics.concealedFrames == 480)
    #expect(probe.statistics.lost == 1)
    #expect(probe.decoder.goBackCount == 0)
  }

  @Test func `with a decoder that cannot go back it is late`() {
    let probe = probe(late: 1, canGoBack: false)
    #expect(probe.statistics.concealedFrames == 480)
    #expect(probe.statistics.late == 1)
    #expect(probe.decoder.goBackCount == 0)
  }
}
