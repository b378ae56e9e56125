import Audio
import Habits
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
}
