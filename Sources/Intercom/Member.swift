import Cryptography
import EventLoop

/// A member as the station sees it: its keys, and which of its addresses is connected.
///
/// Loop thread only. Its ``Peer`` entries, one an address, are in the station's table.
final class Member {
  let node: NodeID
  var name: String
  /// Whether it says that it records.
  var isRecording = false
  /// As admitted; entries of other addresses come by authentic datagrams.
  var addresses: [SocketAddress] = []
  /// Of a member that comes back with the same stream, the one it had: what was heard then is no news now.
  var receiver = SRTPReceiver()
  /// Its stream, once its first key came.
  var ssrc: UInt32?
  var newestEpoch: UInt64 = 0
  /// When its newest key came, while there are older ones.
  var keyNanoseconds: Int64?
  /// When its last authentic datagram came, from wherever; before the first, when it was admitted.
  var heardNanoseconds: Int64
  /// The entry that has the stream; cleared before that goes.
  unowned var connected: Peer?

  init(node: NodeID, name: String, nowNanoseconds: Int64) {
    self.node = node
    self.name = name
    heardNanoseconds = nowNanoseconds
  }
}
