public import StatusSchema

/// Messages for a terminal.
public enum MessageTable {
  /// A message in a line or more, ended by a line end: number, time, whose and where, the text; and how far an own one
  /// is.
  ///
  /// What comes from other nodes (names, texts) cannot send commands to the terminal.
  ///
  /// - Parameter time: when this node had it.
  public static func text(_ message: MessageStatus, time: String) -> String {
    let sender = message.isOwn ? "you" : Cell.clean(message.sender)
    let isOfMany = ["group:", "line:"].contains { message.conversation.hasPrefix($0) }
    let place = message.isOwn || isOfMany ? " → \(Cell.clean(message.conversation))" : ""
    let mark = message.isRead ? " " : "*"
    let said =
      message.text.map(lines) ?? message.voice.map(words) ?? [
        "(a kind of message that this version does not show)"
      ]
    let edited = message.editedUnixSeconds == nil ? "" : " (edited)"
    var text = "\(message.number)\(mark) \(time)  \(sender)\(place)\(edited): \(said.first ?? "")\n"
    for line in said.dropFirst() { text += "    \(line)\n" }
    if let reactions = message.reactions {
      let signs = reactions.map {
        "\(Cell.cleanProse($0.sign)) \($0.name.isEmpty ? "you" : Cell.clean($0.name))"
      }
      text += "    \(signs.joined(separator: ", "))\n"
    }
    if let recipients = message.recipients { text += "    (\(progress(recipients)))\n" }
    return text
  }

  private static func words(of voice: VoiceMessageStatus) -> [String] {
    ["voice message, \(length(voice.seconds))"] + (voice.transcript.map(lines) ?? [])
  }

  /// Minutes and seconds, as `1:05`.
  public static func length(_ seconds: Double) -> String {
    let whole = Int(max(0, min(seconds, 359_999)).rounded())
    let rest = whole % 60
    return "\(whole / 60):\(rest < 10 ? "0" : "")\(rest)"
  }

  /// Each line cleaned by itself.
  private static func lines(_ text: String) -> [String] {
    text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      .map { Cell.cleanProse(String($0)) }
  }

  private static func progress(_ recipients: [MessageStatus.Recipient]) -> String {
    func names(_ state: String) -> String {
      recipients.filter { $0.state == state }.map { Cell.clean($0.name) }.joined(separator: ", ")
    }
    let words = [("read by", "read"), ("delivered to", "delivered"), ("waiting for", "waiting")]
      .compactMap { words, state in
        let names = names(state)
        return names.isEmpty ? nil : "\(words) \(names)"
      }
    let expired = names("expired")
    return (words + (expired.isEmpty ? [] : ["expired for \(expired)"])).joined(separator: "; ")
  }
}

extension MessageTable {
  /// What is recorded and what plays, a line each.
  public static func voice(_ status: MessagesStatus?) -> [String] {
    var lines: [String] = []
    if let recording = status?.recording {
      let state = recording.isPaused ? "paused at" : "recording,"
      let level = Fixed.text(recording.levelDBFS, digits: 0)
      lines.append("\(state) \(length(recording.seconds)), \(level) dBFS")
      if let warning = recording.warning { lines.append(Cell.clean(warning)) }
    }
    if let playing = status?.playing {
      let state = playing.isPaused ? "paused" : "playing"
      let speed = playing.speed == 1 ? "" : ", speed \(Fixed.text(playing.speed, digits: 2))"
      let place = "\(length(playing.seconds)) of \(length(playing.totalSeconds))"
      lines.append("\(state) \(playing.number): \(place)\(speed)")
    }
    return lines
  }
}
