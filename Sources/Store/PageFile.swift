internal import Cryptography

/// Who is signed in at the page, or has a token for it, as it is kept: of each cookie and token the digest alone.
public struct KeptPage: Equatable, Sendable {
  /// The most that are kept.
  public static let entryLimit = 64
  /// The longest ID, right and name, in octets of UTF-8.
  public static let textLimitBytes = 63

  /// A phone, a browser, or a program with a token.
  public struct Entry: Equatable, Sendable {
    /// Tells it from others of its name.
    public var id: String
    /// SHA-256 of its cookie or token, 32 octets.
    public var digest: [UInt8]
    /// The word for what it may do.
    public var rights: String
    /// What it is called.
    public var name: String
    /// When it signed in.
    public var unixSeconds: Int64

    /// An entry of these.
    public init(id: String, digest: [UInt8], rights: String, name: String, unixSeconds: Int64) {
      self.id = id
      self.digest = digest
      self.rights = rights
      self.name = name
      self.unixSeconds = unixSeconds
    }
  }

  /// In the order in which they came.
  public var entries: [Entry]

  /// Nobody unless said otherwise.
  public init(_ entries: [Entry] = []) { self.entries = entries }
}

/// The file of who is signed in at the page, or of who has a token for it: their number in an octet, and of each the
/// digest, the time in eight octets, then ID, right and name, each UTF-8 after its length in an octet.
struct PageFile {
  /// Whose file it is.
  enum Holders: String {
    case phones = "page"
    case tokens = "page-tokens"

    /// The words for a person.
    var words: String {
      switch self {
      case .phones: "who is signed in at the page"
      case .tokens: "who has a token for the page"
      }
    }
  }

  let disk: any Disk
  var holders = Holders.phones

  private var name: String { holders.rawValue }
  private var record: Record { Record(kind: holders.rawValue) }

  /// The saved entries, none if there is no file.
  func read() throws(StoreError) -> KeptPage {
    guard let file = try disk.read(name) else { return KeptPage() }
    let page: KeptPage?
    do throws(CryptoError) {
      page = try record.read(file) { content in
        var reader = RecordReader(content)
        return reader.page()
      }
    } catch {
      throw .crypto(error)
    }
    guard let page else {
      throw .corrupt(path: disk.path(of: name), what: holders.words)
    }
    return page
  }

  /// Saves this in place of the former.
  func write(_ page: KeptPage) throws(StoreError) {
    let file: SecretBytes
    do throws(CryptoError) {
      file = try unsafe record.file(Self.content(page).span.bytes)
    } catch {
      throw .crypto(error)
    }
    try file.withBytes { bytes throws(StoreError) in try disk.replace(name, with: bytes) }
  }

  private static func content(_ page: KeptPage) -> [UInt8] {
    let entries = page.entries.suffix(KeptPage.entryLimit).filter { entry in
      entry.digest.count == AccessToken.digestByteCount
        && [entry.id, entry.rights, entry.name].allSatisfy {
          $0.utf8.count <= KeptPage.textLimitBytes
        }
    }
    var content = [UInt8(entries.count)]
    for entry in entries {
      content += entry.digest
      content += RecordReader.octets(of: UInt64(bitPattern: entry.unixSeconds), count: 8)
      for text in [entry.id, entry.rights, entry.name] {
        content += [UInt8(text.utf8.count)] + Array(text.utf8)
      }
    }
    return content
  }
}

/// Parses the content; nil if it is invalid.
extension RecordReader {
  fileprivate mutating func page() -> KeptPage? {
    guard let count = number(1), count <= KeptPage.entryLimit else { return nil }
    var page = KeptPage()
    for _ in 0..<count {
      guard let digest = octets(AccessToken.digestByteCount), let time = number(8),
        let id = shortText(), let rights = shortText(), let name = shortText()
      else { return nil }
      page.entries.append(
        KeptPage.Entry(
          id: id, digest: digest, rights: rights, name: name,
          unixSeconds: Int64(bitPattern: time)))
    }
    return isAtEnd ? page : nil
  }

  private mutating func shortText() -> String? {
    guard let count = number(1), count <= KeptPage.textLimitBytes else { return nil }
    return text(Int(count))
  }
}
