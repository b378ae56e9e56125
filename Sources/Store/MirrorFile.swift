internal import Cryptography

/// The file of what the mirror of voice messages has done; its content is the daemon's.
struct MirrorFile {
  private static let name = "mirror"
  private static let record = Record(kind: "mirror")
  /// What is lost where it cannot be read.
  static let words = "which voice messages were mirrored"

  let disk: any Disk

  /// What was saved; nil: there is no file.
  func read() throws(StoreError) -> [UInt8]? {
    guard let file = try disk.read(Self.name) else { return nil }
    let octets: [UInt8]?
    do throws(CryptoError) {
      octets = try Self.record.read(file) { content in
        content.byteOffsets.map { content.octet(at: $0) }
      }
    } catch {
      throw .crypto(error)
    }
    guard let octets else { throw .corrupt(path: disk.path(of: Self.name), what: Self.words) }
    return octets
  }

  /// Saves this in place of the former.
  func write(_ octets: [UInt8]) throws(StoreError) {
    let file: SecretBytes
    do throws(CryptoError) {
      file = try unsafe Self.record.file(octets.span.bytes)
    } catch {
      throw .crypto(error)
    }
    try file.withBytes { bytes throws(StoreError) in try disk.replace(Self.name, with: bytes) }
  }
}
