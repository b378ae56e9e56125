internal import Cryptography

/// What a user said about captions, kept across restarts.
public struct KeptCaptions: Equatable, Sendable {
  /// What is lost where it cannot be read.
  static let words = "whether the user refuses to be captioned, and how long captions are kept"

  /// Whether the user refuses to be captioned.
  public var refuses: Bool
  /// How many days captions are kept; 0: not at all.
  public var days: Int

  /// Nothing was said.
  public init(refuses: Bool = false, days: Int = 0) {
    (self.refuses, self.days) = (refuses, days)
  }
}

/// The file of what the user said about captions: one octet, 1 or 0: they refuse, or not; then, if captions are kept,
/// how many days (2).
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
    guard let octets, let first = octets.first, first <= 1, octets.count == 1 || octets.count == 3
    else {
      throw .corrupt(path: disk.path(of: Self.name), what: KeptCaptions.words)
    }
    let days = octets.dropFirst().reduce(0) { $0 << 8 | Int($1) }
    return KeptCaptions(refuses: first == 1, days: days)
  }

  /// Saves this in place of the former.
  func write(_ captions: KeptCaptions) throws(StoreError) {
    let days = UInt16(clamping: captions.days)
    let octets: [UInt8] =
      [captions.refuses ? 1 : 0] + (days == 0 ? [] : [UInt8(days >> 8), UInt8(days & 0xFF)])
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
