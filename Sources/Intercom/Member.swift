public import Cryptography
public import EventLoop
import Media

/// A member as the station sees it: its keys, and which of its addresses is connected.
///
/// Loop thread only. Its ``Peer`` entries, one an address, are in the station's table.
final class Member {
  /// How long packets under an older key are accepted after the next one arrived.
  private static let oldKeyNanoseconds: Int64 = 5_000_000_000

  let node: NodeID
  var name: String
  /// Whether it says that it records.
  var isRecording = false
  /// As admitted; entries of other addresses come by authentic datagrams.
  var addresses: [SocketAddress] = []
  private(set) var receiver = SRTPReceiver()
  /// Its stream, once its first key arrived.
  var ssrc: UInt32?
  private var newestEpoch: UInt64?
  /// When its newest key arrived, while there are older ones.
  private var keyNanoseconds: Int64?
  /// When its last authentic datagram arrived, from any address; before the first, when it was admitted.
  var heardNanoseconds: Int64
  /// The entry that has the stream; cleared before that goes.
  unowned var connected: Peer?

  init(node: NodeID, name: String, nowNanoseconds: Int64) {
    self.node = node
    self.name = name
    heardNanoseconds = nowNanoseconds
  }

  /// Keeps the replay state and the key ages of the previous session.
  func resume(_ former: Member) {
    receiver = former.receiver
    (newestEpoch, keyNanoseconds) = (former.newestEpoch, former.keyNanoseconds)
  }

  /// Adds a key of its stream; one that is not newer than the last is ignored.
  func add(_ key: consuming SRTPReceivingKey, epoch: UInt64, nowNanoseconds: Int64) -> Bool {
    if let newestEpoch {
      guard epoch > newestEpoch else { return false }
      keyNanoseconds = nowNanoseconds
    }
    newestEpoch = epoch
    receiver.add(key)
    return true
  }

  /// Drops expired older keys.
  func dropOldKeys(nowNanoseconds: Int64) {
    guard let came = keyNanoseconds, nowNanoseconds - came >= Self.oldKeyNanoseconds else { return }
    receiver.dropOlderKeys()
    keyNanoseconds = nil
  }
}

/// A connected peer as seen by the sending side.
struct Listener {
  let peer: Peer
  /// Index of its packets' recipe in the station's list.
  var recipeIndex: Int
}

/// A member as seen by the media path: its identity and possible addresses.
public struct MediaMember: Sendable, Hashable {
  /// The most addresses that are tried at once.
  public static let mostAddresses = 8

  /// Who it is.
  public var node: NodeID
  /// Its name until its own reports carry one.
  public var name: String
  /// Where it may be reached; of more than ``mostAddresses`` the first.
  public var addresses: [SocketAddress]
  /// Whether it says that it records.
  public var isRecording: Bool

  /// A member.
  public init(
    node: NodeID, name: String, addresses: [SocketAddress], isRecording: Bool = false
  ) {
    self.node = node
    self.name = name
    self.addresses = addresses
    self.isRecording = isRecording
  }
}
