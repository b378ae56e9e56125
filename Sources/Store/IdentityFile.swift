internal import Cryptography

/// The file of the node's key: the seed of its Ed25519 pair, written once, and when the user wants another.
struct IdentityFile {
  private static let name = "identity"
  private static let record = Record(kind: "identity")

  let disk: any Disk

  /// The key that was kept; nil: there is none yet.
  func read() throws(StoreError) -> NodeKey? {
    guard let file = try disk.read(Self.name) else { return nil }
    let key: NodeKey?
    do throws(CryptoError) {
      key = try Self.record.read(file) { seed throws(CryptoError) -> NodeKey? in
        guard seed.byteCount == NodeKey.seedByteCount else { return nil }
        return try NodeKey(seed: SecretBytes(copying: seed))
      }
    } catch {
      throw .crypto(error)
    }
    guard let key else {
      throw .corrupt(path: disk.path(of: Self.name), what: "this node's identity")
    }
    return key
  }

  /// Makes another key and keeps it.
  func renew() throws(StoreError) -> NodeID {
    let key: NodeKey
    do throws(CryptoError) { key = try NodeKey() } catch { throw .crypto(error) }
    try write(key)
    return key.id
  }

  /// Keeps a new key.
  func write(_ key: borrowing NodeKey) throws(StoreError) {
    let file: SecretBytes
    do throws(CryptoError) {
      file = try key.withSeed { seed throws(CryptoError) in try Self.record.file(seed) }
    } catch {
      throw .crypto(error)
    }
    try file.withBytes { bytes throws(StoreError) in try disk.replace(Self.name, with: bytes) }
  }
}
