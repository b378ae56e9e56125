public import Cryptography

/// What a ``LaneDesk`` wants known.
public enum LaneEvent: Sendable {
  /// A message for the consumer of its channel, which is to say when it has done with it.
  case message(LaneMessage)
  /// A message has its place among those that go out; the next may be sent.
  case queued(NodeID, LaneChannel, sequence: UInt64)
  /// The receiver's consumer has done with a message.
  case acknowledged(NodeID, LaneChannel, sequence: UInt64)
  /// A message was given up.
  case failed(NodeID, LaneChannel, sequence: UInt64, LaneError)
  /// The node at the other end of a connection breaks the rules; nothing more is taken of its lane for a minute.
  case refused(ConnectionID, LaneViolation)
  /// It goes on though it was told: the connection is to be cut.
  case flooded(ConnectionID)
}

/// How much the lanes hold at most, whatever others send.
public enum LaneLimits {
  /// Octets that came and wait for consumers, of all nodes together; beyond it who holds most is refused.
  public static let heldBytes = 8 * 1024 * 1024
  /// Nodes with a lane: all members, and some that were members a moment ago.
  public static let lanes = MeshLimits.members + 32
  /// A lane without a connection is kept for so long: a member that was lost may be back.
  public static let lostNanoseconds: Int64 = 300_000_000_000
  /// Resumes that came before their connection was a member's: as many as there may be connections.
  static let early = 1024
}

/// Why a node takes nothing more of another's lane.
public enum LaneViolation: String, Error, Hashable, Sendable, CaseIterable {
  /// A chunk of a channel that is not open.
  case channel
  /// A chunk of no octets, or more than ``LaneChunk/maximumBytes``.
  case chunkLength
  /// A chunk that does not begin where the last one ended.
  case position
  /// More octets than the window holds.
  case window
  /// A message that is empty or too long for its channel.
  case messageLength
  /// A receipt that cannot be.
  case receipt
  /// A chunk or a receipt before a resume.
  case order
  /// More frames than anybody has to send.
  case flood
  /// It held the most when all nodes together held too much.
  case held

  /// For people; short enough for a text on the wire.
  public var words: String {
    switch self {
    case .channel: "a chunk of a channel that is not open"
    case .chunkLength: "a chunk of no octets, or more than 16 KiB"
    case .position: "a chunk out of order"
    case .window: "more octets than the channel's window"
    case .messageLength: "a message that is empty, or too long"
    case .receipt: "a receipt of what was not sent"
    case .order: "a chunk or receipt before a resume"
    case .flood: "too many frames a second"
    case .held: "all nodes together sent too much at once"
    }
  }
}
