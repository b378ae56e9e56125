public import Cryptography

/// What travels on the application lane, each with a rate, limits and a consumer of its own.
///
/// Its raw value is its number on the wire, and stays for ever.
public enum LaneChannel: UInt64, Sendable, CaseIterable {
  /// State of party lines, and calls.
  case lines = 1
  /// Commands of one node to another.
  case remote = 2
  /// What people type.
  case text = 3
  /// What was spoken, as text.
  case captions = 4
  /// Files, and whatever else is long.
  case files = 5

  /// Most octets of a message.
  public var maximumMessageBytes: Int {
    switch self {
    case .lines, .captions: 4 * 1024
    case .remote, .text: 16 * 1024
    case .files: 64 * 1024
    }
  }

  /// Octets that one sender may have on the way to the receiver, or waiting there for the consumer: at most so many are
  /// held for it.
  public var windowBytes: Int {
    switch self {
    case .lines: 16 * 1024
    case .remote, .text, .captions: 64 * 1024
    case .files: 256 * 1024
    }
  }

  /// Octets that may be sent a second, and at once after a pause.
  var rate: (bytesPerSecond: Double, burstBytes: Double) {
    switch self {
    case .lines, .remote: (32 * 1024, 32 * 1024)
    case .text: (32 * 1024, 16 * 1024)
    // Hours of text for whoever comes late, in a second where the path bears it.
    case .captions: (4 * 1024 * 1024, 64 * 1024)
    case .files: (8 * 1024 * 1024, 256 * 1024)
    }
  }

  /// Whether it does not wait for what the path bears: little of it comes, and is wanted at once.
  var isUrgent: Bool { self == .lines || self == .remote }
}

/// A message that came on the lane.
public struct LaneMessage: Hashable, Sendable {
  /// Which message it is: a sender never says two different things by one number on a channel.
  public struct Key: Hashable, Sendable {
    /// Who sent it, as its connection proved.
    public let sender: NodeID
    /// On which channel.
    public let channel: LaneChannel
    /// Its number, which the sender chose.
    public let sequence: UInt64

    /// Makes a key.
    public init(sender: NodeID, channel: LaneChannel, sequence: UInt64) {
      self.sender = sender
      self.channel = channel
      self.sequence = sequence
    }
  }

  /// Which it is.
  public let key: Key
  /// What it says.
  public let octets: [UInt8]

  /// Makes a message.
  public init(key: Key, octets: [UInt8]) {
    self.key = key
    self.octets = octets
  }
}

/// Why a message cannot be sent, or will not be acknowledged.
public enum LaneError: Error, Hashable, Sendable {
  /// It is empty, or longer than its channel takes.
  case wrongLength(byteCount: Int, maximum: Int)
  /// The other node is no member, or was none for too long.
  case notMember
  /// So many messages wait for room already.
  case crowded(maximum: Int)
  /// This node ends.
  case stopped
}

extension LaneError: CustomStringConvertible {
  /// One sentence for people.
  public var description: String {
    switch self {
    case .wrongLength(let byteCount, let maximum):
      "a message of \(byteCount) bytes cannot be sent on this channel: send 1 to \(maximum) at once"
    case .notMember: "the other node is not connected; try again when it is"
    case .crowded(let maximum):
      "\(maximum) messages already wait for the other node to take them; send fewer at once"
    case .stopped: "this node is exiting; send it after the restart"
    }
  }
}
