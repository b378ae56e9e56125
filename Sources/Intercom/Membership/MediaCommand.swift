import Cryptography
import EventLoop
import Mesh

/// What the media path is told, in order.
enum MediaCommand: Sendable {
  case admit(NodeID, name: String, addresses: [SocketAddress])
  case expel(NodeID)
  case install(MediaKey, NodeID)
  case knock([SocketAddress])
}
