/// Puts pieces beside each other in a row of so many columns.
struct LiveRow {
  private static let gap = 2

  let columns: Int
  private(set) var pieces: [LiveFrame.Piece] = []
  private var used = 0

  /// An empty row.
  init(columns: Int) { self.columns = columns }

  /// Adds a text after what is there if it fits as a whole; the first one is cut.
  mutating func flow(_ text: String, _ style: LiveFrame.Style = .plain) {
    let start = pieces.isEmpty ? 0 : used + Self.gap
    let shown = TextWidth.fitted(text, columns: pieces.isEmpty ? columns : .max)
    let width = TextWidth.columns(of: shown)
    guard width > 0, start + width <= columns else { return }
    pieces.append(LiveFrame.Piece(column: start, text: shown, style: style))
    used = start + width
  }

  /// Puts a text into a cell, cut to it.
  mutating func put(
    _ text: String, at column: Int, width: Int, isLeft: Bool = true,
    _ style: LiveFrame.Style = .plain
  ) {
    let shown = TextWidth.fitted(text, columns: max(0, min(width, columns - column)))
    guard !shown.isEmpty else { return }
    let start = isLeft ? column : column + width - TextWidth.columns(of: shown)
    add([LiveFrame.Piece(column: start, text: shown, style: style)])
  }

  /// Adds pieces that are placed already.
  mutating func add(_ more: [LiveFrame.Piece]) {
    pieces += more
    used = pieces.last.map { $0.column + TextWidth.columns(of: $0.text) } ?? 0
  }
}
