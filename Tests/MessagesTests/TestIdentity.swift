import Cryptography
import Messages
import Synchronization

/// A node's identity of the real key, in groups that a test chooses.
final class TestIdentity: MessageIdentity {
  private let key: NodeKey
  private let joined = Mutex<[Group]>([])

  init(seed: UInt64, groups: [Group] = []) throws {
    var secret = try SecretBytes(byteCount: NodeKey.seedByteCount)
    secret.withMutableBytes { bytes in
      for index in 0..<8 {
        bytes.storeBytes(
          of: UInt8(truncatingIfNeeded: seed >> UInt64(8 * index)), toByteOffset: index,
          as: UInt8.self)
      }
    }
    key = try NodeKey(seed: secret)
    joined.withLock { $0 = groups }
  }

  var id: NodeID { key.id }
  var publicKey: PublicKey { key.publicKey }
  var groups: [Group] {
    get { joined.withLock { $0 } }
    set { joined.withLock { $0 = newValue } }
  }

  func signature(of message: RawSpan) throws(CryptoError) -> [UInt8] {
    try key.signature(of: message)
  }

  func open(_ box: [UInt8]) -> [UInt8]? { key.open(box) }
}
