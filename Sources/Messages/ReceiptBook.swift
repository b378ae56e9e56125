internal import Cryptography

/// Whose receipt of whose messages.
struct ReceiptName: Hashable {
  let recipient: NodeID
  let sender: NodeID
}

/// How far everybody is with everybody's messages, as far as this node knows.
struct ReceiptBook {
  private let identity: any MessageIdentity
  /// How far this node is, by sender.
  private var marks: [NodeID: MessageMark]
  /// How far others are with this node's, by recipient.
  private(set) var receipts: [NodeID: MessageMark]
  /// What recipients said last, as they signed it, of this node's messages and of those that it keeps.
  private var spoken: [ReceiptName: Receipt] = [:]

  init(_ state: JournalState, of identity: any MessageIdentity) {
    self.identity = identity
    marks = state.marks
    receipts = state.receipts
  }

  /// How far this node is with a sender's messages.
  func mark(of sender: NodeID) -> MessageMark { marks[sender] ?? MessageMark() }

  /// Whether a sender is remembered, or can be.
  func hasRoom(for sender: NodeID) -> Bool {
    marks[sender] != nil || marks.count < MessageLimits.senders
  }

  /// Whether a recipient said something of this node's messages before.
  func hasReceipt(of name: ReceiptName) -> Bool { receipts[name.recipient] != nil }

  mutating func set(_ mark: MessageMark, of sender: NodeID) { marks[sender] = mark }

  /// What a sender is to be told when it comes: of this node, and of those it was kept for.
  func names(for sender: NodeID) -> [ReceiptName] {
    let own = ReceiptName(recipient: identity.id, sender: sender)
    let others = spoken.keys.filter { $0.sender == sender }
    return (marks[sender] == nil ? [] : [own]) + others.sorted { $0.recipient < $1.recipient }
  }

  /// A receipt on the wire; nil: there is nothing to say, or it cannot be signed.
  func octets(_ name: ReceiptName) -> [UInt8]? {
    guard name.recipient == identity.id else { return spoken[name]?.octets }
    guard let mark = marks[name.sender] else { return nil }
    let receipt = try? Receipt(
      of: identity, to: name.sender, delivered: mark.delivered, read: mark.read)
    return receipt?.octets
  }

  /// Whether a recipient said that it has a message.
  func has(_ recipient: NodeID, _ key: MessageKey) -> Bool {
    let name = ReceiptName(recipient: recipient, sender: key.sender)
    return (spoken[name]?.delivered ?? 0) >= key.sequence
  }

  /// How far a recipient is with this node's messages by a receipt; nil: that is no news.
  func news(_ receipt: Receipt) -> MessageMark? {
    let known = receipts[receipt.recipient]
    let merged = (known ?? MessageMark()).merged(receipt.mark)
    return merged == known ? nil : merged
  }

  mutating func set(_ mark: MessageMark, by recipient: NodeID) { receipts[recipient] = mark }

  /// Whether a recipient's words on some sender's messages are known.
  func knows(_ name: ReceiptName) -> Bool { spoken[name] != nil }

  /// Remembers a recipient's words to pass them on; false: nothing new in them.
  mutating func note(_ receipt: Receipt) -> Bool {
    let name = receipt.name
    if let before = spoken[name] {
      guard before.mark.merged(receipt.mark) != before.mark,
        receipt.delivered >= before.delivered
      else { return false }
    } else if spoken.count >= MessageLimits.foreignReceipts,
      let stale = spoken.keys.first(where: { $0.sender != identity.id }) ?? spoken.keys.first
    {
      spoken[stale] = nil
    }
    spoken[name] = receipt
    return true
  }
}

extension Receipt {
  var name: ReceiptName { ReceiptName(recipient: recipient, sender: sender) }

  var mark: MessageMark { MessageMark(delivered: delivered, read: read) }
}
