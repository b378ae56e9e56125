import EventLoop
import TestKit
import Testing

@testable import Intercom

/// A network that fails for a while, heard through Opus and the mixer.
@Suite struct StationGapTests {
  private static let roomLevel: Float = 0.003

  let home = SocketAddress.host(1)
  let away = SocketAddress.host(2)

  /// Bursts of a voice's fundamental, 0.5 s of 0.8, in a room.
  private static func mic() -> [Float] {
    var random = SplitMix64(seed: 5)
    let tone = Tone(hertz: 220)
    return (0..<12 * 48_000).map { frame in
      let voice = frame % 38_400 < 24_000 ? tone.sample(frame) : 0
      return voice + roomLevel * Float(random.gaussian())
    }
  }

  private static func level(_ pcm: ArraySlice<Float>) -> Float {
    (pcm.reduce(0) { $0 + $1 * $1 } / Float(pcm.count)).squareRoot()
  }

  private static func greatestStep(_ pcm: ArraySlice<Float>) -> Float {
    zip(pcm, pcm.dropFirst()).reduce(0) { max($0, abs($1.1 - $1.0)) }
  }

  @Test(arguments: [0.0, 0.15, 0.3, 0.45, 0.6, 0.7], [0.06, 0.15, 0.6])
  func `a gap is heard as the talkers room and has no clicks`(phase: Double, seconds: Double) throws
  {
    let network = VirtualNetwork()
    let anna = try VirtualNode("Anna", at: home, beat: VirtualNode.Beat(periodFrames: 256))
    let bert = try VirtualNode("Bert", at: away, beat: VirtualNode.Beat(periodFrames: 256))
    let said = Self.mic()
    anna.mic = { $0 < said.count ? said[$0] : 0 }
    network.add(anna)
    network.add(bert)
    try anna.meet(bert, network)
    network.run(seconds: 6 + phase)
    let before = bert.heard.count
    network.cut(away)
    network.run(seconds: seconds)
    let end = bert.heard.count
    network.mend(away)
    network.run(seconds: 1)
    let ordinary = Self.greatestStep(bert.heard[(before - 96_000)..<before])
    let around = Self.greatestStep(bert.heard[before..<(end + 24_000)])
    #expect(around <= 1.5 * ordinary, "\(around) beside \(ordinary)")
    guard seconds > 0.3 else { return }
    // 100 ms and what the playout had in store; equal power puts half of it on each side.
    let room = Self.level(bert.heard[(before + 7200)..<(end - 480)])
    let expected = Self.roomLevel * Float(0.5).squareRoot()
    #expect((0.5...2).contains(room / expected), "\(room) beside \(expected)")
  }
}
