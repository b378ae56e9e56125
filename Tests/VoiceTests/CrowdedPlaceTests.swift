import Foundation
import Testing

@testable import Voice

/// In a crowd the strong suppressor leaves some of the pauses as they were; in music it does not.
@Suite struct CrowdedPlaceTests {
  /// Words of 0.3 s, of which so much is left, dB, with pauses of 0.2 s, of which next to nothing is.
  ///
  /// - Returns: the untouched share at the end of the last word, and of the pause behind it.
  private func hear(
    _ place: inout CrowdedPlace, left decibels: Double, seconds: Int
  ) -> (word: Float, pause: Float) {
    let left = Float(0.01 * pow(10, decibels / 10))
    var (word, pause): (Float, Float) = (0, 0)
    for block in 0..<seconds * 100 {
      if block % 50 < 30 {
        word = place.untouchedShare(after: 0.01, suppressedTo: left, voice: 0.95)
      } else {
        pause = place.untouchedShare(after: 1e-3, suppressedTo: 1e-6, voice: 0.05)
      }
    }
    return (word, pause)
  }

  /// What RNNoise takes from a voice in rock, in the mean of two seconds: 0.2 to 1.1 dB at 5 dB.
  @Test(arguments: [0, -0.3, -1.1])
  func `in music pauses are suppressed whole`(left: Double) {
    var place = CrowdedPlace()
    let (word, pause) = hear(&place, left: left, seconds: 20)
    #expect(word == 0 && pause == 0)
  }

  /// In a crowd at 5 dB it takes 2.2 to 3.7 dB.
  @Test(arguments: [-2.4, -3.7, -12])
  func `in a crowd a tenth of the pauses is left, and little of the words`(left: Double) {
    var place = CrowdedPlace()
    let (word, pause) = hear(&place, left: left, seconds: 20)
    #expect(pause > 0.07 && pause < 0.11)
    #expect(word < 0.018)
  }

  @Test func `it changes by a hundredth in 10 ms at most, and ends soon after the crowd`() {
    var (place, former): (CrowdedPlace, Float) = (CrowdedPlace(), 0)
    for block in 0..<1000 {
      let isWord = block % 100 < 50
      let share = place.untouchedShare(
        after: 0.01, suppressedTo: isWord ? 0.005 : 1e-6, voice: isWord ? 1 : 0)
      #expect(abs(share - former) < 0.0102)
      former = share
    }
    #expect(former > 0.094)
    #expect(hear(&place, left: -0.1, seconds: 6).pause == 0)
  }

  @Test func `silence, noise alone, and what is no number do no harm`() {
    var place = CrowdedPlace()
    for _ in 0..<1000 {
      #expect(place.untouchedShare(after: 0, suppressedTo: 0, voice: 1) == 0)
      #expect(place.untouchedShare(after: 0.01, suppressedTo: 1e-5, voice: 0) == 0)
    }
    for odd in [Float.nan, .infinity, -.infinity] {
      #expect(place.untouchedShare(after: odd, suppressedTo: 0.1, voice: 1) == 0)
      #expect(place.untouchedShare(after: 0.1, suppressedTo: odd, voice: 1) == 0)
      #expect(place.untouchedShare(after: 0.1, suppressedTo: 0.1, voice: odd) == 0)
    }
  }
}
