import Barcode
import Testing

@Suite struct QRCodeTests {
  /// ISO/IEC 18004, table 7, medium correction, octets: what each size holds at most.
  @Test(
    arguments: [
      (1, 21), (14, 21), (15, 25), (26, 25), (27, 29), (84, 37), (85, 41), (106, 41), (2331, 177),
    ])
  func `a text gets the smallest code that holds it`(byteCount: Int, side: Int) {
    #expect(sideOfCode(byteCount: byteCount) == side)
  }

  @Test(arguments: [0, 2332, 100_000])
  func `what no code holds gives none`(byteCount: Int) {
    #expect(sideOfCode(byteCount: byteCount) == nil)
  }

  /// ISO/IEC 18004 §6.3.3: three squares of 7, dark frame, light ring, dark core; none at the lower right.
  @Test func `the squares by which cameras find it are in three corners`() {
    guard let code = QRCode("comlink:group/crew/") else {
      Issue.record("no code")
      return
    }
    let far = code.side - 7
    for (left, top) in [(0, 0), (far, 0), (0, far)] {
      for row in 0..<7 {
        for column in 0..<7 {
          let ring = max(abs(column - 3), abs(row - 3))
          let isDark = code.isDark(column: left + column, row: top + row)
          #expect(isDark == (ring != 2), "\(column) \(row)")
        }
      }
    }
    let corner = (0..<7).map { code.isDark(column: far + $0, row: code.side - 1) }
    #expect(corner.contains(false))
  }

  @Test func `the terminal gets two rows a line with four light modules around`() {
    guard let code = QRCode("comlink") else {
      Issue.record("no code")
      return
    }
    let lines = code.terminalText.split(separator: "\n")
    #expect(lines.count == (code.side + 8 + 1) / 2)
    let plain = lines.map { $0.dropFirst("\u{1B}[30;47m".count).dropLast("\u{1B}[0m".count) }
    #expect(plain.allSatisfy { $0.count == code.side + 8 })
    #expect(plain.prefix(2).allSatisfy { $0.allSatisfy { $0 == " " } })
    #expect(plain.allSatisfy { $0.hasPrefix("    ") && $0.hasSuffix("    ") })
    #expect(plain[2].hasPrefix("    █▀▀▀▀▀█"))
  }

  @Test func `two texts have two codes`() {
    guard let one = QRCode("one"), let other = QRCode("two") else {
      Issue.record("no code")
      return
    }
    let (text, otherText) = (one.terminalText, other.terminalText)
    #expect(text != otherText)
  }

  private func sideOfCode(byteCount: Int) -> Int? {
    guard let code = QRCode(String(repeating: "a", count: byteCount)) else { return nil }
    return code.side
  }
}
