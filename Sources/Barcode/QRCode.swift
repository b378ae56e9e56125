internal import CQREncode

/// A QR code (ISO/IEC 18004) with medium error correction: a seventh of it may be unreadable.
@safe public struct QRCode: ~Copyable {
  /// The light modules that must be around a code (ISO/IEC 18004 §6.3.8).
  public static let quietModules = 4

  private let symbol: OpaquePointer
  /// Modules along each side, without the light ones around.
  public let side: Int

  /// The smallest code that holds a text; nil: the text is empty or too long (2331 octets), or there is no memory.
  public init?(_ text: String) {
    var code: Int32 = 0
    let octets = Array(text.utf8)
    guard let symbol = unsafe cqrencode_create(octets, Int32(clamping: octets.count), &code) else {
      return nil
    }
    unsafe self.symbol = unsafe symbol
    side = Int(unsafe cqrencode_side(symbol))
  }

  deinit {
    unsafe cqrencode_destroy(symbol)
  }

  /// Whether a module is dark; those beyond the sides are light.
  public func isDark(column: Int, row: Int) -> Bool {
    unsafe cqrencode_is_dark(symbol, Int32(clamping: column), Int32(clamping: row)) == 1
  }

  /// The code for a terminal, with its light border: two rows a line,
  /// black on white whatever the terminal's colours are.
  public var terminalText: String {
    let range = -Self.quietModules..<(side + Self.quietModules)
    let lines = stride(from: range.lowerBound, to: range.upperBound, by: 2).map { row in
      let blocks = range.map { column in
        block(upper: isDark(column: column, row: row), lower: isDark(column: column, row: row + 1))
      }
      return "\u{1B}[30;47m" + blocks.joined() + "\u{1B}[0m\n"
    }
    return lines.joined()
  }

  private func block(upper: Bool, lower: Bool) -> String {
    switch (upper, lower) {
    case (false, false): " "
    case (true, false): "▀"
    case (false, true): "▄"
    case (true, true): "█"
    }
  }
}
