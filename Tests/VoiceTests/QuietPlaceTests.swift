import Testing

@testable import Voice

/// Where there is next to no noise the strong suppressor leaves a third of the voice as it was.
@Suite struct QuietPlaceTests {
  /// Words of 0.3 s at -20 dBFS with pauses of 0.1 s of so much noise, of which so much is left.
  private func hear(
    _ place: inout QuietPlace, noise: Float, leaving part: Float, seconds: Double
  ) -> Float {
    var share: Float = 0
    for block in 0..<Int(seconds * 100) {
      let isWord = block % 40 < 30
      let power = (isWord ? 0.01 : 0) + noise
      let left = (isWord ? 0.01 : 0) + part * noise
      share = place.untouchedShare(after: power, suppressedTo: left)
    }
    return share
  }

  @Test func `a studio leaves a third of the voice as it was, once it is known`() {
    var place = QuietPlace()
    #expect(hear(&place, noise: 1e-10, leaving: 0.1, seconds: 2) == 0)
    #expect(hear(&place, noise: 1e-10, leaving: 0.1, seconds: 4) > 0.27)
  }

  @Test(arguments: [1e-5, 1e-3, 1e-2] as [Float])
  func `noise is suppressed whole`(noise: Float) {
    var place = QuietPlace()
    #expect(hear(&place, noise: noise, leaving: 0.01, seconds: 10) == 0)
  }

  @Test func `noise that begins after silence is suppressed within a third of a second`() {
    var place = QuietPlace()
    _ = hear(&place, noise: 1e-10, leaving: 0.1, seconds: 6)
    var share: Float = 1
    for _ in 0..<33 { share = place.untouchedShare(after: 1e-3, suppressedTo: 1e-6) }
    #expect(share < 0.01)
  }

  @Test func `silence, and what is no number, does no harm`() {
    var place = QuietPlace()
    for _ in 0..<1000 {
      #expect(place.untouchedShare(after: 0, suppressedTo: 0) == 0)
    }
    let share = place.untouchedShare(after: .infinity, suppressedTo: .nan)
    #expect(share.isFinite)
  }
}
