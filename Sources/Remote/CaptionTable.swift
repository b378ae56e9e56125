public import StatusSchema

/// Captions for a terminal.
public enum CaptionTable {
  /// A chunk in a line, ended by a line end: when, who, what; one that may still change has an ellipsis.
  ///
  /// What comes from other nodes (names, texts) cannot send commands to the terminal, or turn its lines around.
  public static func text(_ caption: CaptionStatus) -> String {
    "\(line(caption))\n"
  }

  /// The same in at most so many columns, without a line end: of a longer text the end, which is what was said last.
  public static func partial(_ caption: CaptionStatus, columns: Int) -> String {
    let head = head(of: caption)
    let room = max(8, columns - TextWidth.columns(of: head) - 2)
    var words = Substring(Cell.clean(caption.text))
    while TextWidth.columns(of: String(words)) > room { words = words.dropFirst() }
    return TextWidth.fitted("\(head)\(words) …", columns: columns)
  }

  private static func line(_ caption: CaptionStatus) -> String {
    let words = caption.text.split(whereSeparator: \.isNewline).joined(separator: " ")
    return head(of: caption) + Cell.clean(words) + (caption.isFinal ? "" : " …")
  }

  private static func head(of caption: CaptionStatus) -> String {
    let time = MessageTable.length(caption.startSeconds)
    if caption.isMarker == true || caption.isAlert == true { return "\(time)  * " }
    let role = caption.role.map { " (\(Cell.clean($0)))" } ?? ""
    return "\(time)  \(Cell.clean(caption.talker))\(role): "
  }

  /// A session in a line.
  public static func text(_ session: CaptionSessionStatus) -> String {
    "\(session.session)  \(session.isLive ? "live" : "over")  \(words(session))\n"
  }

  private static func words(_ session: CaptionSessionStatus) -> String {
    let who = session.isOwn ? "this node" : Cell.clean(session.captioner)
    return "\(who) captions \(Cell.clean(session.scope)), \(session.chunks) chunks"
  }

  /// A hosted session in a line.
  public static func text(_ session: HostedSessionStatus) -> String {
    "\(session.session)  \(words(session))\n"
  }

  private static func words(_ session: HostedSessionStatus) -> String {
    var words = "\"\(Cell.clean(session.name))\" \(state(of: session)), "
    words += session.isOwn ? "hosted here" : "hosted by \(Cell.clean(session.host))"
    words += ", line \(Cell.clean(session.line))"
    if session.isSolo { words += ", the host alone" }
    words += ", \(session.listeners.count + (session.isJoined ? 1 : 0)) listening"
    if session.isJoined { words += ", joined" }
    if let percent = session.batteryPercent { words += ", its battery at \(percent) %" }
    for listener in session.listeners where listener.behindSeconds >= 10 {
      let time = MessageTable.length(listener.behindSeconds)
      words += "; \(Cell.clean(listener.name)) reads \(time) behind"
    }
    return words
  }

  private static func state(of session: HostedSessionStatus) -> String {
    switch session.state {
    case "lost": "without its host"
    default: Cell.clean(session.state)
    }
  }

  /// What is captioned now, a line each, and what is wrong with it.
  static func lines(_ captions: CaptionsStatus) -> [String] {
    let live = captions.sessions.filter(\.isLive).map { "captions \(words($0))" }
    let problem = captions.problem.map { ["         \(Cell.clean($0))"] } ?? []
    let transcript = captions.transcriptProblem.map { ["captions \(Cell.clean($0))"] } ?? []
    let hosted = captions.hosted.filter { $0.state != "over" }.map { "session  \(words($0))" }
    return live + (captions.isCaptioning ? problem : []) + transcript + hosted
  }
}
