/// What a terminal is to show at one moment: rows of pieces of text, each at its column.
public struct LiveFrame: Hashable, Sendable {
  /// How a piece looks; colours mean levels and states.
  public enum Style: Hashable, Sendable {
    case plain, bold, dim, green, yellow, red
  }

  /// A text that starts at a column, 0 the leftmost.
  public struct Piece: Hashable, Sendable {
    /// Where it starts.
    public var column: Int
    /// What it says; nothing in it commands the terminal.
    public var text: String
    /// How it looks.
    public var style = Style.plain
  }

  /// The rows from the top; within one, pieces from the left, which do not overlap.
  public var rows: [[Piece]] = []

  /// The rows as plain text without blanks at their ends, for a terminal that is as wide as ours thinks.
  public var text: String { rows.map(Self.text).joined(separator: "\n") }

  private static func text(_ row: [Piece]) -> String {
    var (line, used) = ("", 0)
    for piece in row {
      line += String(repeating: " ", count: max(0, piece.column - used)) + piece.text
      used = max(used, piece.column) + TextWidth.columns(of: piece.text)
    }
    while line.last == " " { line.removeLast() }
    return line
  }
}
