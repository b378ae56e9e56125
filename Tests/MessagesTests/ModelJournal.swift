import Cryptography
import Messages

/// A journal in memory whose node can be killed at any write, and whose disk can fail.
final class ModelJournal: MessageJournal {
  private(set) var state = JournalState()
  /// In the order in which they came.
  private(set) var history: [Message] = []
  private(set) var edited: Set<MessageKey> = []
  /// Signs, of early messages too: by message and node.
  private var signs: [MessageKey: [NodeID: Reaction]] = [:]
  private var octets: [MessageKey: [UInt8]] = [:]
  private var pieces: [AudioName: [Int: [UInt8]]] = [:]
  private(set) var writes = 0
  /// The write at which the node is killed, and whether that write got to the disk.
  var kill: (write: Int, isKept: Bool)?
  /// Killed: whatever the node does now is in vain.
  private(set) var isDead = false
  /// Whether the disk refuses.
  var isFailing = false

  func load() throws(JournalError) -> JournalState {
    isDead = false
    kill = nil
    pieces = pieces.filter { hasAudio($0.key) }
    state.audio = []
    for attachment in history.compactMap(\.content.attachment) + state.held.compactMap(\.attachment)
    where audio(attachment.name).reduce(0, { $0 + $1.count }) == attachment.byteCount {
      state.audio.insert(attachment.name)
    }
    return state
  }

  func write(_ changes: [JournalChange]) throws(JournalError) {
    if isDead { throw JournalError("killed") }
    if isFailing { throw JournalError("no space") }
    writes += 1
    guard let kill, writes >= kill.write else { return apply(changes) }
    isDead = true
    if kill.isKept { apply(changes) }
    throw JournalError("killed")
  }

  func place(of key: MessageKey) throws(JournalError) -> MessagePlace? {
    if isFailing { throw JournalError("cannot read") }
    return history.first { $0.key == key }.map { message in
      let isText = if case .text = message.content { true } else { false }
      return MessagePlace(conversation: message.conversation, isText: isText)
    }
  }

  /// What was said of a message in its conversation.
  func signs(at message: Message) -> [NodeID: String] {
    let here = history.first { $0.key == message.key }
    return (signs[message.key] ?? [:])
      .filter { $0.value.conversation == here?.conversation }.compactMapValues(\.sign)
  }

  private func apply(_ edit: MessageEdit) {
    for index in history.indices where history[index].key == edit.target {
      guard history[index].conversation == edit.conversation,
        case .text = history[index].content
      else { continue }
      history[index].content = .text(edit.text)
      edited.insert(edit.target)
    }
  }

  /// Whether a message or an envelope has it.
  private func hasAudio(_ audio: AudioName) -> Bool {
    history.contains { $0.content.attachment?.name == audio }
      || state.held.contains { $0.attachment?.name == audio }
  }

  func piece(_ number: Int, of audio: AudioName) throws(JournalError) -> [UInt8]? {
    if isFailing { throw JournalError("cannot read") }
    return pieces[audio]?[number]
  }

  var audioCount: Int { pieces.count }

  /// The sealed audio of a message, whole or not.
  func audio(_ name: AudioName) -> [[UInt8]] {
    (pieces[name] ?? [:]).sorted { $0.key < $1.key }.map(\.value)
  }

  func envelope(_ key: MessageKey) throws(JournalError) -> [UInt8]? {
    if isFailing { throw JournalError("cannot read") }
    return octets[key]
  }

  private func apply(_ changes: [JournalChange]) {
    for change in changes {
      switch change {
      case .contact(let node, let contact): state.contacts[node] = contact
      case .forget(let node): state.contacts[node] = nil
      case .message(let message): history.append(message)
      case .edit(let edit): apply(edit)
      case .reaction(let reaction): signs[reaction.target, default: [:]][reaction.node] = reaction
      case .pieces(let audio, let first, let pieces):
        for (index, piece) in pieces.enumerated() {
          self.pieces[audio, default: [:]][first + index] = piece
        }
      case .forgetAudio(let audio): if !hasAudio(audio) { pieces[audio] = nil }
      case .hold(let held, let octets):
        self.octets[held.key] = octets
        state.held.append(held)
      case .remaining(let key, let nodes):
        let wasHeld = Set(state.held.compactMap(\.attachment?.name))
        for index in state.held.indices where state.held[index].key == key {
          state.held[index].remaining = nodes
        }
        if nodes.isEmpty {
          state.held.removeAll { $0.key == key }
          octets[key] = nil
          pieces = pieces.filter { hasAudio($0.key) || !wasHeld.contains($0.key) }
        }
      case .line(let tag, let line): state.lines[tag] = line
      case .mark(let node, let mark): state.marks[node] = mark
      case .receipt(let node, let mark): state.receipts[node] = mark
      case .sequence(let sequence): state.sequence = sequence
      case .runSeconds(let seconds): state.runSeconds = seconds
      }
    }
  }
}
