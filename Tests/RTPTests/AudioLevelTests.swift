import RTP
import Testing

@Suite struct AudioLevelTests {
  /// RFC 6464 §3: V is the most significant bit, level is 0 to 127 for 0 to -127 dBov.
  @Test(
    arguments: [
      (0x00, 0, false), (0x80, 0, true), (0x7F, -127, false), (0xFF, -127, true), (0xA1, -33, true),
    ] as [(UInt8, Int, Bool)])
  func `the octet is V and then minus the level`(octet: UInt8, level: Int, hasVoice: Bool) {
    let audioLevel = AudioLevel(octet: octet)
    #expect(audioLevel == AudioLevel(levelDBov: level, hasVoiceActivity: hasVoice))
    #expect(audioLevel.octet == octet)
  }

  @Test(arguments: [(1, 0), (400, 0), (-128, -127), (Int.min, -127), (Int.max, 0)])
  func `a level outside the scale moves to its end`(given: Int, kept: Int) {
    #expect(AudioLevel(levelDBov: given, hasVoiceActivity: false).levelDBov == kept)
  }
}
