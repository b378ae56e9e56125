public import StatusSchema

/// The assistant for a terminal; what others wrote cannot send commands to it.
public enum SessionTable {
  /// An answer, as it is.
  public static func text(_ answer: String) -> String {
    answer.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      .map { Cell.clean(String($0)) }.joined(separator: "\n")
  }

  /// What there is to agree to, and what was said to it.
  public static func text(_ consent: ConsentStatus) -> String {
    let choice =
      switch consent.choice {
      case "keep": "You agreed, and sessions are kept."
      case "forget": "You agreed, and nothing is kept."
      default:
        "Nobody agreed yet: comlink assistant consent --keep, or --forget where nothing is to be kept."
      }
    return text(consent.terms) + "\n" + choice
  }

  /// What the assistant does.
  public static func text(_ status: AssistantStatus) -> String {
    var lines = ["\(Cell.clean(status.name)): \(Cell.clean(status.state))"]
    if status.calls > 0 { lines.append("calls: \(status.calls)") }
    if let line = status.line { lines.append("heard on line: \(Cell.clean(line))") }
    if let problem = status.problem { lines.append("problem: \(Cell.clean(problem))") }
    if let problem = status.keepingProblem { lines.append("problem: \(Cell.clean(problem))") }
    return lines.joined(separator: "\n")
  }

  /// A session in a line: number, time, title.
  public static func line(_ session: SessionStatus, time: String) -> String {
    let title = session.title ?? (session.endedUnixSeconds == nil ? "(goes on)" : "(no title)")
    return "\(Cell.clean(session.id))  \(time)  \(Cell.clean(title))"
  }

  /// A session with all that was said, ended by a line end.
  public static func text(_ session: SessionStatus, time: (Double) -> String) -> String {
    var lines = [line(session, time: time(session.startedUnixSeconds))]
    if let summary = session.summary, !summary.isEmpty { lines.append(text(summary)) }
    for turn in session.turns ?? [] {
      let speaker = turn.speaker == "user" ? "you" : Cell.clean(turn.speaker)
      let mark = turn.isInterrupted ? " …" : ""
      lines.append("\(time(turn.unixSeconds))  \(speaker): \(text(turn.text))\(mark)")
    }
    return lines.map { $0 + "\n" }.joined()
  }
}
