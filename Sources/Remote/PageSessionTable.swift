/// Who is signed in at the page, as a table for a terminal of 100 columns.
public enum PageSessionTable {
  /// A line each, ended by a line end: name, ID, right, and how long ago it was seen.
  ///
  /// What phones call themselves cannot send commands to the terminal.
  public static func text(_ sessions: [PageSessionStatus]) -> String {
    text(sessions, came: "signed in")
  }

  /// The same of programs that have a token.
  public static func text(tokens holders: [PageSessionStatus]) -> String {
    text(holders, came: "made")
  }

  private static func text(_ sessions: [PageSessionStatus], came: String) -> String {
    let width = sessions.map(\.name.count).max() ?? 0
    return sessions.map { session in
      let name = Cell.name(session.name, width: max(10, min(40, width)))
      let seen =
        session.isOpen
        ? "open now"
        : session.idleSeconds.map { "seen \(words($0)) ago" } ?? "not seen since comlinkd started"
      return "\(name)  \(Cell.clean(session.id))  \(session.rights.rawValue), \(seen), "
        + "\(came) \(words(session.ageSeconds)) ago\n"
    }.joined()
  }

  private static func words(_ seconds: Double) -> String {
    switch seconds {
    case ..<120: "\(Fixed.text(seconds, digits: 0)) s"
    case ..<7200: "\(Fixed.text(seconds / 60, digits: 0)) min"
    case ..<172_800: "\(Fixed.text(seconds / 3600, digits: 0)) h"
    default: "\(Fixed.text(seconds / 86_400, digits: 0)) days"
    }
  }
}
