internal import Cryptography
internal import Habits
internal import Journal
internal import Messages
internal import StatusSchema
internal import Store

/// Messages as people see them.
extension MessageOffice {
  func status(_ entry: HistoryEntry) -> MessageStatus {
    let message = entry.message
    let isOwn = message.key.sender == state.id
    let text: String? = if case .text(let text) = message.content { text } else { nil }
    var status = MessageStatus(
      number: entry.number, conversation: name(of: message.conversation),
      sender: isOwn ? "" : name(of: message.key.sender), senderID: message.key.sender.text,
      isOwn: isOwn, sentUnixSeconds: Double(message.sentUnixMilliseconds) / 1000,
      takenUnixSeconds: Double(message.takenUnixMilliseconds) / 1000, text: text,
      isRead: entry.isRead)
    if case .voice(let clip) = message.content { status.voice = VoiceMessageStatus(clip) }
    status.voice?.transcript = entry.transcript
    status.editedUnixSeconds = entry.editedUnixMilliseconds.map { Double($0) / 1000 }
    if !entry.reactions.isEmpty {
      status.reactions = entry.reactions.map { reaction in
        MessageStatus.Reaction(
          sign: reaction.sign, name: reaction.node == state.id ? "" : name(of: reaction.node),
          id: reaction.node.text)
      }
    }
    guard isOwn else { return status }
    let (marks, remaining) = (desk.receiptMarks, desk.remaining(of: message.key))
    status.recipients = message.recipients.map { node in
      let mark = marks[node] ?? MessageMark()
      let state =
        remaining.contains(node)
        ? "waiting"
        : mark.read >= message.key.sequence
          ? "read" : mark.delivered >= message.key.sequence ? "delivered" : "expired"
      return MessageStatus.Recipient(name: name(of: node), id: node.text, state: state)
    }
    return status
  }

  func name(of conversation: Conversation) -> String {
    switch conversation {
    case .member(let node): name(of: node)
    case .group(let tag):
      state.groups.first { GroupTag(of: $0) == tag }.map { "group:\($0.name)" }
        ?? "a group that was left"
    case .line(let line): desk.name(of: line).map { "line:\($0)" } ?? "a line that was left"
    }
  }

  func name(of node: NodeID) -> String {
    names[node].flatMap { $0.isEmpty ? nil : $0 } ?? state.names.entries[node]?.wish
      ?? node.words.joined(separator: " ")
  }
}
