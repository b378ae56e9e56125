import Testing

@testable import Remote

@Suite struct MeterBarTests {
  private static func text(_ level: Double, peak: Double, width: Int = 10) -> String {
    MeterBar(glyphs: .unicode).pieces(levelDBFS: level, peakDBFS: peak, at: 0, width: width)
      .map(\.text).joined()
  }

  static let bars: [(Double, Double, String)] = [
    (-120, -120, "··········"), (-60, -60, "··········"), (0, 0, "██████████"),
    (12, 12, "██████████"), (-30, -30, "█████·····"), (-33, -40, "████▌·····"),
    (-60, -12, "·······│··"), (-60, 0, "·········│"), (.nan, -.infinity, "··········"),
  ]

  @Test(arguments: bars)
  func `a level is a share of the bar from -60 dBFS on`(
    level: Double, peak: Double, text: String
  ) {
    #expect(Self.text(level, peak: peak) == text)
  }

  @Test func `the bar's colours tell when it gets loud`() {
    let pieces = MeterBar(glyphs: .ascii).pieces(levelDBFS: 0, peakDBFS: 0, at: 3, width: 60)
    #expect(pieces.map(\.style) == [.green, .yellow, .red])
    #expect(pieces.map(\.column) == [3, 45, 57])
  }

  @Test(arguments: [0, 1, 2])
  func `a narrow bar does not trap`(width: Int) {
    #expect(Self.text(-3, peak: -1, width: width).count == width)
  }
}
