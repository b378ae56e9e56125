import Audio
import StatusSchema
import Testing

@testable import Intercom

@Suite struct PeerSettingsTests {
  @Test func `the loudest gain that a user can set is one that the mixer takes`() {
    let loudest = PeerSettings(
      gainDecibels: PeerStatus.gainRangeDecibels.upperBound, pan: 0, isMuted: false)
    #expect(loudest.linearGain <= AudioEngine.maximumGain)
    #expect(loudest.linearGain > 0.9 * AudioEngine.maximumGain)
  }

  @Test(arguments: [
    (-1.0, 1.0, 0.0), (0.0, 0.5.squareRoot(), 0.5.squareRoot()), (1.0, 0.0, 1.0),
  ])
  func `a place gives each side its share, of equal power in all`(
    pan: Double, left: Double, right: Double
  ) {
    let sides = AudioEngine.sides(ofPan: Float(pan))
    #expect(abs(Double(sides.left) - left) < 1e-6 && abs(Double(sides.right) - right) < 1e-6)
  }
}
