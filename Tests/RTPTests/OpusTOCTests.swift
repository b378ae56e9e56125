import RTP
import Testing

@Suite struct OpusTOCTests {
  private static func frames(_ bytes: [UInt8]) -> Int? {
    OpusTOC.frameCount(payload: bytes.raw)
  }

  /// RFC 6716 §3.1, table 2: the codec frame's length in tenths of a millisecond per configuration.
  private static let table2: [(configurations: [UInt8], tenths: [Int])] = [
    ([0, 1, 2, 3], [100, 200, 400, 600]), ([4, 5, 6, 7], [100, 200, 400, 600]),
    ([8, 9, 10, 11], [100, 200, 400, 600]), ([12, 13], [100, 200]), ([14, 15], [100, 200]),
    ([16, 17, 18, 19], [25, 50, 100, 200]), ([20, 21, 22, 23], [25, 50, 100, 200]),
    ([24, 25, 26, 27], [25, 50, 100, 200]), ([28, 29, 30, 31], [25, 50, 100, 200]),
  ]

  @Test func `every configuration has the length of table 2, mono and stereo`() {
    for (configurations, tenths) in Self.table2 {
      for (configuration, length) in zip(configurations, tenths) {
        for stereo: UInt8 in [0, 4] {
          let toc = configuration << 3 | stereo
          #expect(Self.frames([toc, 1, 2]) == length * 48 / 10, "configuration \(configuration)")
          #expect(Self.frames([toc | 1, 1, 2]) == 2 * length * 48 / 10)
          #expect(Self.frames([toc | 2, 1, 2]) == 2 * length * 48 / 10)
          #expect(Self.frames([toc | 3, 1, 2]) == length * 48 / 10)
        }
      }
    }
  }

  private static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

  /// The rules R1 to R7 of RFC 6716 §3.4.
  ///
  /// Configuration 28 is CELT of 2.5 ms (120 frames).
  private static let cases: [(bytes: [UInt8], frames: Int?)] = [
    ([], nil),  // R1
    ([0xE0], 120),  // DTX: a packet of the TOC alone
    ([0xE0] + zeros(1275), 120), ([0xE0] + zeros(1276), nil),  // R2
    ([0xE1], 240), ([0xE1, 0], nil), ([0xE1, 0, 0], 240),  // R3
    ([0xE1] + zeros(2550), 240), ([0xE1] + zeros(2552), nil),
    ([0xE2], nil), ([0xE2, 1], nil), ([0xE2, 0], 240), ([0xE2, 1, 9], 240),  // R4
    ([0xE2, 252], nil), ([0xE2, 252, 0] + zeros(252), 240), ([0xE2, 252, 0] + zeros(251), nil),
    ([0xE2, 255, 255] + zeros(1275), 240), ([0xE2, 0] + zeros(1276), nil),
    ([0xE3], nil), ([0xE3, 0], nil), ([0xE3, 1], 120), ([0xE3, 48], 5760), ([0xE3, 49], nil),  // R5
    ([0x1B, 2], 5760), ([0x1B, 3], nil),  // SILK of 60 ms: at most two
    ([0xE3, 2, 0], nil), ([0xE3, 2, 0, 0], 240), ([0xE3, 1] + zeros(1276), nil),  // R6
    ([0xE3, 0x41], nil), ([0xE3, 0x41, 0], 120), ([0xE3, 0x41, 1], nil), ([0xE3, 0x41, 1, 0], 120),
    ([0xE3, 0x41, 255], nil), ([0xE3, 0x41, 255, 0] + zeros(254), 120),
    ([0xE3, 0x41, 255, 0] + zeros(253), nil), ([0xE3, 0x42, 1, 0, 0, 0], 240),
    ([0xE3, 0x81], 120), ([0xE3, 0x82], nil), ([0xE3, 0x82, 0], 240),  // R7
    ([0xE3, 0x82, 2, 0], nil), ([0xE3, 0x82, 2, 0, 0, 0], 240), ([0xE3, 0x83, 1, 1, 0], nil),
    ([0xE3, 0x83, 1, 1, 0, 0, 0], 360), ([0xE3, 0x81] + zeros(1276), nil),
    ([0xE3, 0xC2, 2, 1, 0, 0, 0], 240), ([0xE3, 0xC2, 3, 1, 0, 0, 0], nil),
  ]

  @Test(arguments: cases)
  func `the rules of well-formed packets hold`(bytes: [UInt8], frames: Int?) {
    #expect(Self.frames(bytes) == frames)
  }
}
