internal import Cryptography

/// Lines and keys, kept across restarts.
public struct KeptLines: Equatable, Sendable {
  /// What is lost where they cannot be read.
  public static let words = "the party lines that the node is on, and its keys"

  /// What their own code makes of them; none: nothing was set.
  public var octets: [UInt8]

  /// Makes lines and keys; without an argument none.
  public init(octets: [UInt8] = []) { self.octets = octets }
}

/// The file of the lines that the node is on, and of its keys: what lines' own code makes of them.
struct LinesFile {
  private static let name = "lines"
  private static let record = Record(kind: "lines")

  let disk: any Disk

  /// What was saved, nothing if there is no file.
  func read() throws(StoreError) -> KeptLines {
    guard let file = try disk.read(Self.name) else { return KeptLines() }
    let lines: KeptLines?
    do throws(CryptoError) {
      lines = try Self.record.read(file) { content in
        KeptLines(octets: content.byteOffsets.map { content.octet(at: $0) })
      }
    } catch {
      throw .crypto(error)
    }
    guard let lines else { throw .corrupt(path: disk.path(of: Self.name), what: KeptLines.words) }
    return lines
  }

  /// Saves this in place of the former.
  func write(_ lines: KeptLines) throws(StoreError) {
    let file: SecretBytes
    do throws(CryptoError) {
      file = try unsafe Self.record.file(lines.octets.span.bytes)
    } catch {
      throw .crypto(error)
    }
    try file.withBytes { bytes throws(StoreError) in try disk.replace(Self.name, with: bytes) }
  }

  /// What was kept, or nothing and why.
  var outcome: (lines: KeptLines, problem: StoreError?) {
    do throws(StoreError) { return (try read(), nil) } catch { return (KeptLines(), error) }
  }
}
