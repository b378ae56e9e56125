internal import Cryptography

/// What a user said about captions, kept across restarts.
public struct KeptCaptions: Equatable, Sendable {
  /// What is lost where it cannot be read.
  static let words = "whether the user refuses to be captioned"

  /// Whether the user refuses to be captioned.
  public var refuses: Bool

  /// Nothing was said.
  public init(refuses: Bool = false) { self.refuses = refuses }
}

/// The file of what the user said about captions: one octet, 1 or 0.
struct CaptionsFile {
  private static let name = "captions"
  private static let record = Record(kind: "captions")

  let disk: any Disk

  /// What was saved, nothing if there is no file.
  func read() throws(StoreError) -> KeptCaptions {
    guard let file = try disk.read(Self.name) else { return KeptCaptions() }
    let octets: [UInt8]?
    do throws(CryptoError) {
      octets = try Self.record.read(file) { content in
        content.byteOffsets.map { content.octet(at: $0) }
      }
    } catch {
      throw .crypto(error)
    }
    guard octets == [0] || octets == [1] else {
      throw .corrupt(path: disk.path(of: Self.name), what: KeptCaptions.words)
    }
    return KeptCaptions(refuses: octets == [1])
  }

  /// Saves this in place of the former.
  func write(_ captions: KeptCaptions) throws(StoreError) {
    let octets: [UInt8] = [captions.refuses ? 1 : 0]
    let file: SecretBytes
    do throws(CryptoError) {
      file = try unsafe Self.record.file(octets.span.bytes)
    } catch {
      throw .crypto(error)
    }
    try file.withBytes { bytes throws(StoreError) in try disk.replace(Self.name, with: bytes) }
  }

  /// What was kept; where that cannot be read, the user may have refused.
  var outcome: (kept: KeptCaptions, problem: StoreError?) {
    do throws(StoreError) { return (try read(), nil) } catch {
      return (KeptCaptions(refuses: true), error)
    }
  }
}
