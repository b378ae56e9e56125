internal import StatusSchema

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

/// What this node does that its user must not forget: a row each, none as a rule.
struct LiveNotices {
  let columns: Int

  /// A recording that runs or failed, and a loop-back.
  func rows(_ status: Status) -> [[LiveFrame.Piece]] {
    [status.recording.flatMap(recording), status.node.loopBack.map(loopBack)].compactMap { $0 }
  }

  private func recording(_ recording: RecordingStatus) -> [LiveFrame.Piece]? {
    var row = LiveRow(columns: columns)
    guard recording.isRunning else {
      guard recording.hasFailed == true else { return nil }
      row.flow("recording FAILED: \(recording.endReason ?? "")", .red)
      return row.pieces
    }
    row.flow("RECORDING \(StatusTable.duration(recording.seconds))", .red)
    if recording.stalledSeconds > 0 { row.flow("DISK STALLED", .red) }
    if let failed = recording.failedFiles, failed > 0 { row.flow("\(failed) FAILED", .red) }
    if recording.droppedFrames > 0 { row.flow("dropped \(recording.droppedFrames)", .yellow) }
    row.flow("\(recording.files) files")
    row.flow(RecordingLines.room(recording))
    row.flow(recording.path, .dim)
    return row.pieces
  }

  private func loopBack(_ loopBack: LoopBackStatus) -> [LiveFrame.Piece] {
    var row = LiveRow(columns: columns)
    row.flow("LOOP-BACK of \(loopBack.peer), not the mic", .yellow)
    row.flow("\(StatusTable.duration(loopBack.secondsLeft)) left")
    return row.pieces
  }
}
