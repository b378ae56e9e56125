import Cryptography
import EventLoop
import Mesh

/// The media path as a ``Membership`` uses it: who may be heard and hear, and with which keys.
protocol MediaGate: Sendable {
  /// Lets a member in, or follows what it tells about itself.
  ///
  /// - Returns: false where there is no place for one more.
  func admit(_ member: MediaMember) async -> Bool
  /// A member is one no more: silent at once.
  func expel(_ node: NodeID, saidGoodbye: Bool) async
  /// Lets others have the name of a node that is no member.
  func freeName(of node: NodeID) async
  /// What each member is called here, present or away: what it calls itself, or that and a number.
  func calledNames() async -> [NodeID: String]
  /// Takes the key of a member's media; what it was given may be anything.
  func install(_ key: MediaKey, of node: NodeID) async throws
  /// The key in use, as it is handed out, for what this node sends.
  func presentMessage() async throws -> MediaKey
  /// Makes the key to be used next.
  func makeNextMessage() async throws -> MediaKey
  /// Sends by the next key from now on.
  ///
  /// - Returns: its epoch.
  @discardableResult
  func useNextKey() async -> UInt64
  /// When the last authentic datagram of a member came, as the event loop's clock has it.
  ///
  /// - Returns: when it was admitted, where none came yet; nil where it is no member here.
  func heardNanoseconds(of node: NodeID) async -> Int64?
  /// Tells another node, at these addresses, in one small datagram each, that this one is up.
  func sendKnocks(at other: NodeID, _ addresses: [SocketAddress], as node: NodeID) async
  /// Nodes that say they are up: hearsay.
  var knocks: AsyncStream<NodeID> { get }
}

/// Keys and datagrams in the form that the membership has them; nothing here runs on the loop but what it calls.
extension Intercom: MediaGate {
  nonisolated func install(_ key: MediaKey, of node: NodeID) async throws {
    let received = try ReceivedKey(octets: key.octets, epoch: key.epoch)
    guard await install(received, of: node) else {
      throw IntercomError.refused("its SSRC belongs to another member, or changed")
    }
  }

  nonisolated func presentMessage() async throws -> MediaKey { Self.message(await ownKey()) }

  nonisolated func makeNextMessage() async throws -> MediaKey {
    Self.message(try await makeNextKey())
  }

  func heardNanoseconds(of node: NodeID) -> Int64? {
    station.roster.sessions[node]?.heardNanoseconds
  }

  func sendKnocks(at other: NodeID, _ addresses: [SocketAddress], as node: NodeID) {
    station.sendKnocks(at: other, addresses, as: node)
  }

  private static func message(_ key: OwnKey) -> MediaKey {
    MediaKey(stream: 0, epoch: key.epoch, octets: key.octets)
  }
}

extension MediaKey {
  /// The key in the stream of its epoch: two are handed out at a time.
  var inStreamOfEpoch: MediaKey { MediaKey(stream: Int(epoch & 1), epoch: epoch, octets: octets) }
}
