import Glibc
import TestKit
import Testing

@testable import Media

@Suite struct VarispeedTests {
  private static let fed = 57_600

  /// Feeds two signals in blocks to a splicer, which is asked to lead after a while, and returns what comes out.
  private static func led(
    by wanted: Int, block: Int, _ signal: (Int) -> Float, side: (Int) -> Float = { _ in 0 }
  ) -> (mean: [Float], side: [Float], held: [Int], isOver: Bool) {
    var splicer = Splicer(freshFrames: 5760)
    splicer.openSide()
    var (mean, other): ([Float], [Float]) = ([], [])
    var held: [Int] = []
    var pcm = [Float](repeating: 0, count: 5760 + Splicer.surplusFrames)
    var beside = pcm
    for start in stride(from: 0, to: fed, by: block) {
      _ = splicer.append(block) { span in
        for index in 0..<block { span[index] = signal(start + index) }
        return block
      }
      splicer.fillSide(block) { span in
        for index in 0..<block { span[index] = side(start + index) }
      }
      if start == 4800 {
        #expect(splicer.splice(wantedFrames: wanted, urgency: 1) * wanted > 0)
        #expect(splicer.isFading)
      }
      var span = pcm.mutableSpan
      let count = splicer.emit(into: &span, side: &beside)
      held.append(splicer.heldFrames)
      // What was asked for by a callback is there: two frames at most wait.
      #expect(count > 0 && held[held.count - 1] <= 2)
      mean += pcm[..<count]
      other += beside[..<count]
    }
    return (mean, other, held, !splicer.isFading)
  }

  private static func tone(_ hertz: Double) -> (Int) -> Float {
    { Float(0.25 * sin(2 * .pi * hertz * Double($0) / 48_000)) }
  }

  /// Lags that are no period of it, so that it is led.
  @Test(arguments: [(220, 30), (220, -48), (440, 30), (440, -36)] as [(Double, Int)])
  func `a tone is led without a click, and is in time afterwards`(hertz: Double, wanted: Int) {
    for block in [120, 480, 960] {
      let led = Self.led(by: wanted, block: block, Self.tone(hertz))
      #expect(led.isOver)
      #expect(ToneEvents.positions(in: led.mean, hertz: hertz, sampleRate: 48_000) == [])
      let shift = led.mean.count - Self.fed
      #expect(wanted > 0 ? shift == wanted : (wanted...wanted / 2).contains(shift))
    }
  }

  @Test(arguments: [-36, 30])
  func `the side is led in step with the mean`(wanted: Int) {
    let tone = Self.tone(440)
    let led = Self.led(by: wanted, block: 120, tone) { tone($0) / 2 }
    let apart = zip(led.mean, led.side).map { abs($0 / 2 - $1) }.max()
    #expect(apart ?? 1 < 1e-6)
    #expect(led.held.contains { $0 > 0 })
  }
}
