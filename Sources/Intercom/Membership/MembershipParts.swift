public import Cryptography
public import EventLoop
public import Mesh

/// What a ``Membership`` needs of its surroundings.
public struct MembershipParts: Sendable {
  /// The control connections.
  public var transport: any ControlTransport
  /// Looks a host up.
  public var resolve: SocketAddress.Resolver = SocketAddress.resolve
  /// Has discovery ask anew where a node is; it tells what is found out.
  public var rediscover: @Sendable (NodeID) -> Void
  /// Whether media can be sent to IPv6 addresses: the socket is bound to one.
  public var takesIPv6: Bool
  /// What nodes called themselves in a former run.
  public var names: [NodeID: String]
  /// Keeps what is to outlive this run, or says why it cannot; may take its time.
  public var store: @Sendable (MeshMemory) async -> String?
  /// Told what happens; must not block.
  public var report: @Sendable (MembershipEvent) -> Void

  /// Takes the parts.
  public init(
    transport: any ControlTransport, takesIPv6: Bool,
    names: [NodeID: String] = [:],
    rediscover: @escaping @Sendable (NodeID) -> Void = { _ in },
    store: @escaping @Sendable (MeshMemory) async -> String?,
    report: @escaping @Sendable (MembershipEvent) -> Void
  ) {
    self.transport = transport
    self.names = names
    self.rediscover = rediscover
    self.takesIPv6 = takesIPv6
    self.store = store
    self.report = report
  }
}

/// The control connections as a ``Membership`` uses them; what happens on them comes to ``Membership/handle(_:)``.
///
/// Any thread; no call waits.
public protocol ControlTransport: Sendable {
  /// What the application lanes are.
  associatedtype Lane: ApplicationLane

  /// The application lanes to all members.
  var lane: Lane { get }
  /// Opens a connection; `dialled` or `failed` answers.
  func dial(_ attempt: AttemptID, _ address: NodeAddress)
  /// Gives an attempt up.
  func abandon(_ attempt: AttemptID)
  /// Sends a message.
  func send(_ message: Message, on connection: ConnectionID)
  /// Sends what is under way, then closes.
  func close(_ connection: ConnectionID)
  /// The node at the other end is a member, and this is its connection in use: it may send long messages, and its
  /// application lane goes on here.
  func raiseLimit(of connection: ConnectionID)
  /// A node is a member no more, and does not come back by itself: its application lane ends.
  func endLane(of node: NodeID)
}

/// The application lanes to all members: messages on typed channels, beside the mesh's own, that hold up neither
/// heartbeats nor keys, nor each other.
///
/// Any thread. What becomes of connections meanwhile does not matter: messages of a channel come in order, and are
/// acknowledged when the receiver's consumer has done with them. One that was not acknowledged may come again, by the
/// same key.
public protocol ApplicationLane: Sendable {
  /// Takes the messages of a channel from now on, one at a time, of all senders in turn; the consumer acknowledges by
  /// returning.
  func open(
    _ channel: LaneChannel, consumer: @escaping @Sendable (LaneMessage) async -> Void)
  /// Sends a message, and waits until it has its place among those that go out.
  ///
  /// - Parameter sequence: its number, below 2⁶², that no other message of this node has on this channel, in this run
  ///   or another; the same message may go to any number of nodes by the same.
  func send(
    _ octets: [UInt8], on channel: LaneChannel, to node: NodeID, sequence: UInt64
  ) async throws(LaneError)
  /// Sends a message, and waits until the other node has acknowledged it.
  func deliver(
    _ octets: [UInt8], on channel: LaneChannel, to node: NodeID, sequence: UInt64
  ) async throws(LaneError)
}

/// What a membership tells the log; rare.
public enum MembershipEvent: Sendable {
  /// A node is a member.
  case admitted(NodeID, name: String, isInGroup: Bool)
  /// A member is one no more.
  case departed(NodeID, name: String, DepartureReason)
  /// A stranger asks to be let in.
  case invited(NodeID, name: String)
  /// A stranger's invitation came to nothing, or was answered.
  case invitationEnded(NodeID)
  /// A node does not let us in.
  case declined(NodeID, words: String)
  /// A static peer is a stranger: it and we share no group.
  case stranger(NodeID, name: String)
  /// A static peer's name leads nowhere.
  case unresolved(peer: String, reason: String)
  /// A static peer's address leads back to this node.
  case ourselves(peer: String)
  /// This node's identity runs twice.
  case twin(IdentityTwin)
  /// A member's user forgot a node that is away: its name is free.
  case forgotten(NodeID, name: String, by: String)
  /// A peer failed five times in a row and is tried from nothing.
  case rebuilt(peer: String)
  /// A member begins to record what it hears, or ends it, by what it says.
  case recording(NodeID, name: String, Bool)
  /// Keys or media fail in a way that needs a person.
  case fault(String)
}

/// What a status tells of a profile; nil where the node says nothing.
extension NodeProfile {
  /// What it changes its voice into.
  public var shownEffect: String? { effect.isEmpty ? nil : effect }
  /// What it is for.
  public var shownRole: String? { role.isEmpty ? nil : role }
  /// Its daemon's version.
  public var shownVersion: String? { softwareVersion.isEmpty ? nil : softwareVersion }
  /// Its colour as six hexadecimal digits.
  public var shownColour: String? { colourRGB.map(Self.digits) }

  /// A colour as six hexadecimal digits.
  static func digits(of colour: UInt32) -> String {
    let digits = String(colour & 0xFF_FFFF, radix: 16)
    return String(repeating: "0", count: 6 - digits.count) + digits
  }
}

extension MeshEvent {
  /// After the end only connections that came too late are of interest: they get closed.
  var isConnection: Bool {
    switch self {
    case .accepted, .dialled: true
    default: false
    }
  }
}
