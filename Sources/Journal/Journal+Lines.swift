internal import Cryptography
internal import Messages

/// Who is on which line.
extension Journal {
  private static let personBytes = NodeID.byteCount + 8

  func lines() throws(DatabaseError) -> [LineTag: KeptLine] {
    let rows = try database.query("SELECT kind, tag, name, people FROM line") {
      (Self.conversation(kind: $0.number(0), $0.bytes(1)), $0.text(2), $0.bytes(3))
    }
    return rows.reduce(into: [:]) { lines, row in
      guard case .line(let tag) = row.0 else { return }
      lines[tag] = KeptLine(name: row.1, people: Self.people(row.2))
    }
  }

  private static func people(_ octets: [UInt8]) -> [NodeID: UInt64] {
    parts(octets, personBytes).reduce(into: [:]) { people, part in
      guard part.count == personBytes, let node = NodeID(octets: part.prefix(NodeID.byteCount))
      else { return }
      people[node] = part.suffix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
  }

  func set(_ tag: LineTag, _ line: KeptLine?) throws(DatabaseError) {
    let key = Self.values(.line(tag))
    guard let line else {
      return try database.execute("DELETE FROM line WHERE kind = ? AND tag = ?", key)
    }
    let people = line.people.sorted { $0.key < $1.key }.flatMap { node, went in
      node.octets + (0..<8).map { UInt8(truncatingIfNeeded: went >> UInt64(56 - 8 * $0)) }
    }
    try database.execute(
      "INSERT OR REPLACE INTO line VALUES (?, ?, ?, ?)", key + [.text(line.name), .bytes(people)])
  }
}
