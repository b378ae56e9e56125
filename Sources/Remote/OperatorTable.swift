public import StatusSchema

/// Operators, as a table for a terminal of 100 columns.
public enum OperatorTable {
  /// A line each, ended by a line end: name, rights, how often it did something, and what it did last.
  public static func text(_ operators: [OperatorStatus]) -> String {
    operators.map { "\(row($0).prefix(StatusTable.columns))\n" }.joined()
  }

  private static func row(_ member: OperatorStatus) -> String {
    Cell.name(member.name, width: 24) + "  "
      + Cell.padded(Cell.clean(member.rights.joined(separator: " ")), width: 27, isLeft: true)
      + "  \(member.acts)" + (member.lastAct.map { "  \(Cell.clean($0))" } ?? "")
  }
}
