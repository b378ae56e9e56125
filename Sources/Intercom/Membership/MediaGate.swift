import Cryptography
import EventLoop
import Mesh

/// The media path as a ``Membership`` uses it: who may be heard and hear, and with which keys.
protocol MediaGate: Sendable {
  /// Lets a member in, or follows what it tells about itself.
  ///
  /// - Returns: false where there is no place for one more.
  func admit(_ member: Member) async -> Bool
  /// A member is one no more: silent at once.
  func expel(_ node: NodeID, saidGoodbye: Bool) async
  /// Lets others have the name of a node that is no member.
  func freeName(of node: NodeID) async
  /// What each member is called here, present or away: what it calls itself, or that and a number.
  func calledNames() async -> [NodeID: String]
  /// Takes a key of a member's stream; what it was given may be anything.
  func install(_ key: MediaKey, of node: NodeID) async throws
  /// A member's stream is over for this node.
  func endStream(_ number: Int, of node: NodeID) async
  /// The key in use of a stream of this node, as it is handed out; nil: there is none of that number.
  func ownKey(of number: Int) async -> MediaKey?
  /// Makes the key of a stream to be used next; nil: there is none of that number.
  func makeNextKey(of number: Int) async throws(CryptoError) -> MediaKey?
  /// Sends a stream by its next key from now on.
  func useNextKey(of number: Int) async
  /// Sends a source to one more audience; what its listeners are to be told.
  func openStream(
    of source: Int, to audience: StreamAudience, listeners: StreamListeners
  ) async throws -> MediaKey
  /// Sends a stream to these from now on.
  func setListeners(_ listeners: StreamListeners, of number: Int) async
  /// Ends a stream of this node.
  func closeStream(_ number: Int) async
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
    let received = try ReceivedKey(key)
    guard await install(received, of: node) else {
      throw IntercomError.refused("its SSRC belongs to another member, or changed")
    }
  }

  func heardNanoseconds(of node: NodeID) -> Int64? {
    station.roster.sessions[node]?.heardNanoseconds
  }

  func sendKnocks(at other: NodeID, _ addresses: [SocketAddress], as node: NodeID) {
    station.sendKnocks(at: other, addresses, as: node)
  }
}
