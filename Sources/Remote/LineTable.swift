public import StatusSchema

/// The party lines of a group, as a table for a terminal of 100 columns.
public enum LineTable {
  /// A line each, ended by a line end: name, what this node does there, then who else is on it, talkers with a star.
  ///
  /// What comes from other nodes (names) cannot send commands to the terminal.
  public static func text(_ lines: [LineStatus]) -> String {
    lines.map { "\(row($0).prefix(StatusTable.columns))\n" }.joined()
  }

  private static func row(_ line: LineStatus) -> String {
    var words: [String] = []
    if line.isJoined {
      words.append(line.isListening ? "listen" : "-")
      if line.isTalking { words.append("TALK") }
      if line.levelDecibels != 0 {
        words.append("\(Fixed.text(line.levelDecibels, digits: 1)) dB")
      }
      if let pan = line.pan {
        words.append(Fixed.text(abs(pan), digits: 1) + (pan < 0 ? " left" : " right"))
      }
      if line.port != nil { words.append("port") }
      if let priority = line.priority, priority != 1 { words.append("priority \(priority)") }
      if line.isPrivate == true { words.append("private") }
    } else {
      words.append(line.isPrivate == true ? "private" : "not joined")
    }
    let talkers = Set(line.talkers)
    let people =
      line.members.map { (talkers.contains($0) ? "*" : "") + Cell.clean($0) }
      + (line.invited ?? []).map { "(\(Cell.clean($0)) is invited)" }
      + (line.invitedBy.map { ["(\(Cell.clean($0)) invites you)"] } ?? [])
    return Cell.name(line.name, width: nameColumns) + "  "
      + Cell.padded(words.joined(separator: " "), width: 20, isLeft: true) + "  "
      + display(line) + people.joined(separator: ", ")
  }

  /// What displays show for it, where that is not its name.
  private static func display(_ line: LineStatus) -> String {
    guard line.isJoined, let display = line.display, display != line.name else { return "" }
    return "as \(Cell.clean(display))  "
  }

  /// As many characters as a line's name has at most.
  private static let nameColumns = 30
}

/// A node's keys, as a table for a terminal of 100 columns.
public enum KeyTable {
  /// A line each, ended by a line end: name, position, activation, lines and what else is set.
  public static func text(_ keys: [KeyStatus]) -> String {
    keys.map { "\(row($0).prefix(StatusTable.columns))\n" }.joined()
  }

  private static func row(_ key: KeyStatus) -> String {
    var position = [key.tally.rawValue]
    if key.isHeld { position.append("held") }
    if key.isLatched { position.append("latched") }
    var facts = [key.activation]
    if let name = key.latchRefusedBy {
      facts.append("no latch at \(name)")
    } else {
      facts.append(key.latchMilliseconds == 0 ? "no latch" : "latch \(key.latchMilliseconds) ms")
    }
    if let interlock = key.interlock { facts.append("interlock \(interlock)") }
    if let midi = key.midi { facts.append(midi) }
    if key.isCalled == true { position.append("called") }
    let names = (key.lines + (key.targets ?? [])).map(Cell.clean).joined(separator: ", ")
    let talkers = key.talkers.map { "*" + Cell.clean($0) }.joined(separator: ", ")
    return Cell.name(key.name, width: 16) + "  "
      + Cell.padded(Cell.clean(position.joined(separator: " ")), width: 20, isLeft: true) + "  "
      + Cell.clean(facts.joined(separator: ", ")) + "  \(names)"
      + (talkers.isEmpty ? "" : "  \(talkers)")
  }
}

/// Calls, as a table for a terminal of 100 columns.
public enum CallTable {
  /// A line each, ended by a line end: calls that came, the latest first, then those of this node, then announcements.
  public static func text(_ calls: CallsStatus) -> String {
    let rows =
      calls.incoming.map { row("from", $0) } + calls.outgoing.map { row("to", $0) }
      + calls.announcers.map { "from  \(Cell.name($0, width: 24))  announces" }
    return rows.map { "\($0.prefix(StatusTable.columns))\n" }.joined()
  }

  private static func row(_ direction: String, _ call: CallStatus) -> String {
    var words: [String] = []
    if call.isRinging { words.append("rings") }
    if call.isTalking { words.append("talks") }
    if call.isAnswering { words.append("REPLY") }
    if let line = call.line { words.append("on line \(Cell.clean(line))") }
    return Cell.padded(direction, width: 4, isLeft: true) + "  "
      + Cell.name(call.peer.isEmpty ? "all" : call.peer, width: 24) + "  "
      + words.joined(separator: " ")
  }
}
