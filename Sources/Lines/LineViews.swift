public import Cryptography

/// A line as it is shown.
public struct LineView: Sendable, Hashable {
  /// What it is called.
  public let name: LineName
  /// Whether this node is on it.
  public let isJoined: Bool
  /// Whether the user wants to hear it.
  public let isSetListening: Bool
  /// Whether it is heard, keys considered.
  public let isListening: Bool
  /// Whether this node talks there.
  public let isTalking: Bool
  /// How loud it is heard.
  public let levelDecibels: Double
  /// What gives way to it, and what it gives way to.
  public let priority: Int
  /// Who else is on it.
  public let members: [NodeID]
  /// Who of them talks there.
  public let talkers: [NodeID]
  /// Where it is heard, −1 (left) … 1 (right).
  public var pan = 0.0
  /// What small displays show for it.
  public var display = ""
  /// Its JACK output; nil: it has none.
  public var port: String?
  /// Whether nobody but those who are on it can know of it.
  public var isPrivate = false
  /// Which private line this node is on: another one may be of the same name later; nil: none.
  public var privateID: PrivateLineID?
  /// Who was added to a private line and has not joined it.
  public var invited: [NodeID] = []
  /// Who invites to a private line that this node is not on.
  public var invitedBy: NodeID?
}

/// A key as it is shown.
public struct KeyView: Sendable, Hashable {
  /// As it is set.
  public let key: Key
  /// Whether the user set it; else it comes with its line.
  public let isSet: Bool
  /// Whether a finger is on it.
  public let isHeld: Bool
  /// Whether it stays open.
  public let isLatched: Bool
  /// Whether it talks; of the assistant's, whether that listens.
  public private(set) var isTalking: Bool
  /// Whether any of its lines is listened to.
  public let isListening: Bool
  /// Whether one of its targets calls, and nobody has answered.
  public let isCalled: Bool
  /// Who talks on its lines, or to this node by another of its targets.
  public let talkers: [NodeID]
  /// Whom it is for, and who lets it not latch; nil: nobody.
  public var latchRefusedBy: NodeID?
  /// Whether it is the assistant's, which thinks or speaks.
  public private(set) var isAnswered = false

  /// The same while the assistant does that.
  public func showing(_ assistant: AssistantTally) -> KeyView {
    guard key.targets.contains(.assistant) else { return self }
    var view = self
    (view.isTalking, view.isAnswered) = (assistant == .listens, assistant == .answers)
    return view
  }
}

/// What a key of the assistant shows.
public enum AssistantTally: Sendable {
  /// No call.
  case off
  /// A call in which the assistant listens.
  case listens
  /// A call in which it thinks or speaks.
  case answers
}

/// Where a guest of a node talks.
public enum GuestTalk: Sendable, Hashable {
  /// On these keys of the node.
  case keys(Set<KeyName>)
  /// On these lines.
  case lines(Set<LineName>)
}

/// Calls as they are shown.
public struct CallsView: Sendable, Hashable {
  /// The reply stack, the latest first.
  public let incoming: [IncomingCall]
  /// Whom the reply key talks to.
  public let answering: CallOrigin?
  /// Those of this node that ring.
  public let outgoing: [OutgoingCall]
  /// Who announces something.
  public let announcers: [NodeID]
}
