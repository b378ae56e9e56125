public import Cryptography

/// What a ``MessageDesk`` tells those who show or log it.
public enum MessageEvent: Hashable, Sendable {
  /// A message is in the history: one that this node's user wrote, or one that came.
  case message(Message)
  /// A message has another text, or another sign is at it.
  case changed(MessageKey)
  /// After ``message(_:)``: it was a text of another node. Whether it is to be spoken, and how many seconds ago it was
  /// written.
  case text(String, by: NodeID, isAloud: Bool, UInt32)
  /// Another node has, or its user read, more of what this one sent it.
  case receipt(from: NodeID, MessageMark)
  /// A message's time is over, and these never had it.
  case expired(MessageKey, [NodeID])
  /// What a node sent is not taken.
  case refused(from: NodeID, MessageFault)
  /// A node does not take what it was sent.
  case refusedBy(NodeID, MessageFault, MessageKey)
  /// The disk failed; what was to be kept then is tried again.
  case trouble(JournalError)
}

extension MessageEvent {
  /// What is told of a message that came.
  static func taken(_ message: Message, isAloud: Bool, ageSeconds: UInt32) -> [MessageEvent] {
    guard case .text(let text) = message.content else { return [message.event] }
    return [
      .message(message), .text(text, by: message.key.sender, isAloud: isAloud, ageSeconds),
    ]
  }
}

/// What a ``MessageDesk`` counted since it began.
public struct MessageCounters: Hashable, Sendable {
  /// Messages of others that were taken.
  public var taken = 0
  /// Parcels of messages that were there already.
  public var repeated = 0
  /// Envelopes taken to be kept for others.
  public var kept = 0
  /// Messages that expired before all had them.
  public var expired = 0
  /// What was not taken, by reason.
  public var faults: [MessageFault: Int] = [:]

  /// Nothing yet.
  public init() {}
}

/// What a node's user allows.
public struct MessageSettings: Hashable, Sendable {
  /// Octets that are kept for others, of all senders together; a quarter of it of one.
  public var keepBytes: Int
  /// How long own messages are kept for who is away.
  public var lifetimeSeconds: UInt32

  /// 20 MB and a week, unless said otherwise.
  public init(
    keepBytes: Int = 20_000_000, lifetimeSeconds: UInt32 = MessageLimits.lifetimeSeconds
  ) {
    self.keepBytes = keepBytes
    self.lifetimeSeconds = lifetimeSeconds
  }

  /// Octets that are kept of one sender.
  var keepBytesPerSender: Int { keepBytes / 4 }
}
