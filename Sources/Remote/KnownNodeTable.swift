public import StatusSchema

/// Whom a node knows, as a table for a terminal of 100 columns.
public enum KnownNodeTable {
  /// Two lines each, ended by a line end: name, state and why it is let in, then its words.
  ///
  /// What comes from other nodes (their names) cannot send commands to the terminal.
  public static func text(_ known: [KnownNodeStatus]) -> String {
    known.map { lines($0).map { "\($0.prefix(StatusTable.columns))\n" }.joined() }.joined()
  }

  private static func lines(_ one: KnownNodeStatus) -> [String] {
    let name = one.name.isEmpty ? "(no name)" : one.name
    var line = Cell.name(name, width: NameColumn.most) + "  \(Cell.clean(one.state))"
    if let seconds = one.secondsLeft { line += ", declined in \(Fixed.text(seconds, digits: 0)) s" }
    if let admission = one.admission { line += " (\(Cell.clean(admission)))" }
    if one.isRecording == true { line += ", RECORDING" }
    if let role = one.role { line += ", \(Cell.clean(role))" }
    if let people = one.people { line += ", \(Cell.clean(people))" }
    if let version = one.version { line += ", comlinkd \(Cell.clean(version))" }
    if let colour = one.colour { line += ", colour \(Cell.clean(colour))" }
    if let attempt = one.attempt {
      line += words(attempt)
    } else if one.failures > 0 {
      line += ", \(one.failures) attempts failed"
    }
    return [line] + (one.idWords.map { ["  \(Cell.clean($0))"] } ?? [])
  }

  private static func words(_ attempt: AttemptStatus) -> String {
    let seconds = "\(Fixed.text(attempt.secondsLeft, digits: 0)) s"
    guard !attempt.isAwaited else { return ", attempt \(attempt.number) in \(seconds)" }
    var words = ", attempt \(attempt.number)"
    if let address = attempt.address, let count = attempt.addressCount {
      words += ", address \(address) of \(count)"
    }
    return words + ", \(seconds) left"
  }
}
