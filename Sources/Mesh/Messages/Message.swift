/// What two nodes say to each other on a control connection.
///
/// How it is written is told in MESSAGES.md.
public enum Message: Hashable, Sendable {
  /// The first one, both ways.
  case hello(Hello)
  /// Every two seconds.
  case heartbeat(Heartbeat)
  /// The sender asks to be taken as a member; it takes the receiver already.
  case invite
  /// The sender takes the receiver as a member.
  case accept
  /// It does not.
  case decline(Decline)
  /// It leaves.
  case goodbye(Goodbye)
  /// The key of a media stream of the sender's.
  case mediaKey(MediaKey)
  /// A number against which the receiver proves its groups; for the connection, not for ``Mesh``.
  case challenge(Challenge)
  /// The answer to it; for the connection, not for ``Mesh``.
  case groupProof(GroupProof)
  /// A type that a later version added; ignored.
  case unknown(type: UInt64)

  /// The numbers that the types have on the wire.
  enum Kind {
    static let hello: UInt64 = 1
    static let heartbeat: UInt64 = 2
    static let invite: UInt64 = 3
    static let accept: UInt64 = 4
    static let decline: UInt64 = 5
    static let goodbye: UInt64 = 6
    static let mediaKey: UInt64 = 7
    static let challenge: UInt64 = 8
    static let groupProof: UInt64 = 9
  }

  /// The numbers that the fields have in their message.
  enum Tag {
    static let major: UInt64 = 1
    static let minor: UInt64 = 2
    static let node: UInt64 = 3
    static let instance: UInt64 = 4
    static let name: UInt64 = 5
    static let role: UInt64 = 6
    static let colour: UInt64 = 7
    static let softwareVersion: UInt64 = 8
    static let controlAddress: UInt64 = 9
    static let mediaAddress: UInt64 = 10
    static let attempt: UInt64 = 11
    static let admits: UInt64 = 12
    static let memberCount: UInt64 = 13
    static let member: UInt64 = 14
    static let words: UInt64 = 15
    static let stream: UInt64 = 16
    static let epoch: UInt64 = 17
    static let key: UInt64 = 18
    static let nonce: UInt64 = 19
    static let code: UInt64 = 20
    static let loopBack: UInt64 = 21
    static let relocates: UInt64 = 22
    static let recording: UInt64 = 23
    static let asks: UInt64 = 24
  }
}
