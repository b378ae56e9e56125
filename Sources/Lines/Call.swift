public import Cryptography

/// Who called: a member, for this node alone or for all who are on a line.
public struct CallOrigin: Sendable, Hashable {
  /// The member.
  public let node: NodeID
  /// The line; nil: for this node alone.
  public let line: LineName?
}

/// A call that came: one entry of the reply stack.
///
/// It rings until it is answered or cleared, its caller ends it, or 30 s are over; half a minute after the last of it
/// the entry goes by itself.
public struct IncomingCall: Sendable, Hashable {
  /// Whose it is.
  public let origin: CallOrigin
  /// Whether it wants an answer.
  public internal(set) var isRinging: Bool
  /// Whether the caller talks to this node alone.
  public internal(set) var isTalking = false
  /// Whether the user has cleared it: it goes as soon as the caller stops talking, who is seen until then.
  var isCleared = false
  /// Which of the caller's calls; nil: it only talked.
  var number: UInt64?
  /// When it began to ring.
  var rangNanoseconds: Int64
  /// When it rang or talked last.
  var lastNanoseconds: Int64

  /// When it changes by itself; `max`: it does not.
  var deadlineNanoseconds: Int64 {
    if isRinging { return rangNanoseconds + LineLimits.callNanoseconds }
    return isTalking ? .max : lastNanoseconds + LineLimits.clearNanoseconds
  }
}

/// Whom this node calls.
public enum CallTarget: Sendable, Hashable {
  /// A member.
  case member(NodeID)
  /// All who are on a line.
  case line(LineName)
}

/// A call of this node that rings.
public struct OutgoingCall: Sendable, Hashable {
  /// Whom it is for.
  public let target: CallTarget
  /// Who keeps it ringing; nil: it rings by itself.
  public let holder: Label?
  let number: UInt64
  let sinceNanoseconds: Int64
  /// When its holder is gone unless it is heard of again.
  var leaseNanoseconds: Int64

  var deadlineNanoseconds: Int64 {
    min(sinceNanoseconds + LineLimits.callNanoseconds, leaseNanoseconds)
  }
}
