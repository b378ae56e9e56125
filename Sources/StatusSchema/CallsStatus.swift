/// Calls in a ``Status``.
public struct CallsStatus: Sendable, Hashable, Codable {
  /// The reply stack: calls that came, the latest first, eight at most.
  public var incoming: [CallStatus]
  /// Calls of this node that ring.
  public var outgoing: [CallStatus]
  /// Who announces something to all, by name.
  public var announcers: [String]

  /// No calls.
  public init() { (incoming, outgoing, announcers) = ([], [], []) }
}

/// One call.
public struct CallStatus: Sendable, Hashable, Codable {
  /// Who calls, or is called, by name; empty where all on a line are called.
  public var peer: String
  /// The line whose members are called; absent: one member alone.
  public var line: String?
  /// Whether it wants an answer: a lamp flashes.
  public var isRinging: Bool
  /// Whether the caller talks to this node alone.
  public var isTalking: Bool
  /// Whether the reply key talks to it.
  public var isAnswering: Bool

  /// A call that is over.
  public init(peer: String) {
    self.peer = peer
    (isRinging, isTalking, isAnswering) = (false, false, false)
  }
}
