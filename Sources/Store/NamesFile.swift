internal import Cryptography
internal import Habits

/// The file of what members are called: their number in two octets, and of each its ID, what it calls itself and what
/// it is called here, both in UTF-8 after their length in an octet.
struct NamesFile {
  private static let name = "names"
  private static let record = Record(kind: "names")

  let disk: any Disk

  /// The saved names, none if there is no file.
  func read() throws(StoreError) -> NameMemory {
    guard let file = try disk.read(Self.name) else { return NameMemory() }
    let names: NameMemory?
    do throws(CryptoError) {
      names = try Self.record.read(file) { content in
        var reader = RecordReader(content)
        return reader.names()
      }
    } catch {
      throw .crypto(error)
    }
    guard let names else {
      throw .corrupt(
        path: disk.path(of: Self.name), what: "the numbering of nodes of the same name")
    }
    return names
  }

  /// Saves this in place of the former.
  func write(_ names: NameMemory) throws(StoreError) {
    let file: SecretBytes
    do throws(CryptoError) {
      file = try unsafe Self.record.file(Self.content(names).span.bytes)
    } catch {
      throw .crypto(error)
    }
    try file.withBytes { bytes throws(StoreError) in try disk.replace(Self.name, with: bytes) }
  }

  private static func content(_ names: NameMemory) -> [UInt8] {
    let entries = names.entries.sorted { $0.key < $1.key }.lazy
      .map { (node: $0.key, names: [Array($0.value.wish.utf8), Array($0.value.name.utf8)]) }
      .filter { $0.names.allSatisfy { $0.count <= NameMemory.longestNameBytes } }
      .prefix(NameMemory.mostEntries)
    var content = RecordReader.octets(of: UInt64(entries.count), count: 2)
    for entry in entries {
      content += entry.node.octets
      for name in entry.names { content += [UInt8(name.count)] + name }
    }
    return content
  }
}

/// Parses the content; nil if it is invalid.
extension RecordReader {
  fileprivate mutating func names() -> NameMemory? {
    guard let count = number(2), count <= NameMemory.mostEntries else { return nil }
    var names = NameMemory()
    for _ in 0..<count {
      guard let node = node(), let wish = name(), let name = name() else { return nil }
      names.entries[node] = NameMemory.Entry(wish: wish, name: name)
    }
    return isAtEnd ? names : nil
  }

  private mutating func name() -> String? {
    guard let count = number(1), count <= NameMemory.longestNameBytes else { return nil }
    return text(Int(count))
  }
}
