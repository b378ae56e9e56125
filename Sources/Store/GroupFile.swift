internal import Cryptography

/// The file of the node's groups: their number in two octets, then each one's name, with its length in an octet,
/// and secret.
struct GroupFile {
  private static let name = "groups"
  private static let record = Record(kind: "groups")

  let disk: any Disk

  /// The saved groups, none if there is no file.
  func read() throws(StoreError) -> [Group] {
    guard let file = try disk.read(Self.name) else { return [] }
    let groups: [Group]?
    do throws(CryptoError) {
      groups = try Self.record.read(file) { content throws(CryptoError) in
        try Self.groups(content)
      }
    } catch {
      throw .crypto(error)
    }
    guard let groups else {
      throw .corrupt(path: disk.path(of: Self.name), what: "all groups of this node")
    }
    return groups
  }

  /// Saves these groups in place of the former.
  func write(_ groups: [Group]) throws(StoreError) {
    let file: SecretBytes
    do throws(CryptoError) {
      let content = try Self.content(groups)
      file = try content.withBytes { content throws(CryptoError) in
        try Self.record.file(content)
      }
    } catch {
      throw .crypto(error)
    }
    try file.withBytes { bytes throws(StoreError) in try disk.replace(Self.name, with: bytes) }
  }

  private static func content(_ groups: [Group]) throws(CryptoError) -> SecretBytes {
    let byteCount = groups.reduce(2) { $0 + 1 + $1.name.utf8.count + Group.secretByteCount }
    var content = try SecretBytes(byteCount: byteCount)
    content.withMutableBytes { content in
      content.set(UInt8(truncatingIfNeeded: groups.count >> 8), at: 0)
      content.set(UInt8(truncatingIfNeeded: groups.count), at: 1)
      var offset = 2
      for group in groups {
        content.set(UInt8(truncatingIfNeeded: group.name.utf8.count), at: offset)
        offset += 1
        for octet in group.name.utf8 {
          content.set(octet, at: offset)
          offset += 1
        }
        group.withSecret { secret in
          for index in secret.byteOffsets {
            content.set(secret.octet(at: index), at: offset + index)
          }
        }
        offset += Group.secretByteCount
      }
    }
    return content
  }

  /// Nil for unknown content: its hash is right, so another version wrote it.
  private static func groups(_ content: RawSpan) throws(CryptoError) -> [Group]? {
    guard content.byteCount >= 2 else { return nil }
    let count = Int(content.octet(at: 0)) << 8 | Int(content.octet(at: 1))
    var groups: [Group] = []
    var offset = 2
    for _ in 0..<count {
      guard offset < content.byteCount else { return nil }
      let nameBytes = Int(content.octet(at: offset))
      let secretOffset = offset + 1 + nameBytes
      guard secretOffset + Group.secretByteCount <= content.byteCount else { return nil }
      let octets = ((offset + 1)..<secretOffset).map { content.octet(at: $0) }
      guard let name = String(validating: octets, as: UTF8.self) else { return nil }
      let secret = content.extracting(secretOffset..<(secretOffset + Group.secretByteCount))
      do throws(CryptoError) {
        groups.append(try Group(name: name, secret: SecretBytes(copying: secret)))
      } catch {
        if case .groupName = error { return nil }
        throw error
      }
      offset = secretOffset + Group.secretByteCount
    }
    return offset == content.byteCount ? groups : nil
  }
}
