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

  /// RFC 6716 §4.2.3: voice activity flags of each SILK frame, then whether there is FEC, from the highest bit on; of
  /// stereo twice.
  private static let recoveries: [(bytes: [UInt8], frames: Int)] = [
    ([0x48, 0x40, 0], 960), ([0x48, 0x80, 0], 0), ([0x48, 0xBF, 0], 0), ([0x40, 0x40, 0], 480),
    ([0x50, 0x20, 0], 1920), ([0x50, 0xDF, 0], 0), ([0x58, 0x10, 0], 2880), ([0x58, 0xEF, 0], 0),
    ([0x68, 0x40, 0], 960), ([0x60, 0x40, 0], 480),  // hybrid
    ([0x4C, 0x10, 0], 960), ([0x4C, 0xAF, 0], 0), ([0x54, 0x04, 0], 1920), ([0x5C, 0x01, 0], 2880),
    ([0x80, 0xFF, 0], 0), ([0xF8, 0xFF, 0], 0),  // CELT has none
    ([], 0), ([0x48], 0), ([0xFF], 0),  // "nobody talks"
    ([0x49, 0x40, 0], 960), ([0x49], 0),  // of the first codec frame only
    ([0x4A, 1, 0x40, 0], 960), ([0x4A, 1, 0, 0x40], 0), ([0x4A, 0, 0x40], 0),
    ([0x4A, 252, 0, 0x40] + zeros(300), 960), ([0x4A, 252], 0),
    ([0x4B, 1, 0x40], 960), ([0x4B, 2, 0x40, 0], 960), ([0x4B, 2], 0), ([0x4B], 0),
    ([0x4B, 0x41, 1, 0x40, 0], 960), ([0x4B, 0x41, 2, 0, 0x40], 0), ([0x4B, 0x41], 0),
    ([0x4B, 0x82, 1, 0x40, 0], 960), ([0x4B, 0x82, 0, 0x40], 0), ([0x4B, 0x82, 9], 0),
    ([0x4B, 0x83, 1, 0, 0x40, 7], 960), ([0x4B, 0x81, 0x40], 960),
  ]

  @Test(arguments: recoveries)
  func `in-band FEC is told by the bit behind the activity flags`(bytes: [UInt8], frames: Int) {
    #expect(OpusTOC.recoverableFrameCount(payload: bytes.raw) == frames)
  }
}
