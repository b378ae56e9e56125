internal import EventLoop
internal import Intercom

/// What looking up peers needs of a node.
protocol PeerRegister: Sendable {
  /// The address the node listens on.
  var localAddress: SocketAddress { get }
  /// Calls an address from now on.
  func addPeer(_ address: SocketAddress) async
  /// Calls an address no longer.
  func removePeer(_ address: SocketAddress) async
  /// Whether a node answers there.
  func isConnected(to address: SocketAddress) async -> Bool
}

extension Intercom: PeerRegister {}
