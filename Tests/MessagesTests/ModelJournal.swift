import Cryptography
import Messages

/// A journal in memory whose node can be killed at any write, and whose disk can fail.
final class ModelJournal: MessageJournal {
  private(set) var state = JournalState()
  /// In the order in which they came.
  private(set) var history: [Message] = []
  private var octets: [MessageKey: [UInt8]] = [:]
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
      case .hold(let key, let octets, let remaining, let until):
        self.octets[key] = octets
        state.held.append(
          HeldEnvelope(
            key: key, byteCount: octets.count, remaining: remaining, untilRunSeconds: until))
      case .remaining(let key, let nodes):
        for index in state.held.indices where state.held[index].key == key {
          state.held[index].remaining = nodes
        }
        if nodes.isEmpty {
          state.held.removeAll { $0.key == key }
          octets[key] = nil
        }
      case .mark(let node, let mark): state.marks[node] = mark
      case .receipt(let node, let mark): state.receipts[node] = mark
      case .sequence(let sequence): state.sequence = sequence
      case .runSeconds(let seconds): state.runSeconds = seconds
      }
    }
  }
}
