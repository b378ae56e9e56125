internal import Cryptography

/// What tells a private line from all others, whatever it is called: octets that nobody guesses.
public struct PrivateLineID: Sendable, Hashable {
  static let byteCount = 16

  /// On the wire.
  public let octets: [UInt8]

  /// A new one; of a generator that is not to be guessed.
  public init(using random: inout some RandomNumberGenerator) {
    octets = (0..<Self.byteCount).map { _ in UInt8.random(in: .min ... .max, using: &random) }
  }

  /// As another node wrote it; nil: of another length.
  init?(octets: [UInt8]) {
    guard octets.count == Self.byteCount else { return nil }
    self.octets = octets
  }
}

extension PrivateLineID: Comparable {
  /// Some order that is always the same.
  public static func < (one: PrivateLineID, other: PrivateLineID) -> Bool {
    one.octets.lexicographicallyPrecedes(other.octets)
  }
}

/// Who is on a private line, as those who are on it say: of what two say the later word holds.
///
/// Words of a member are counted one after the other, so that any two nodes that tell each other all they know know the
/// same. Who was removed keeps a place, or an old word would bring it back.
struct PrivateRoster: Sendable, Hashable {
  /// The last word of a member.
  struct Entry: Sendable, Hashable {
    var count: UInt32
    var isOn: Bool

    /// Of two words of one count the one that keeps somebody out.
    func isAfter(_ other: Entry) -> Bool {
      count > other.count || count == other.count && !isOn && other.isOn
    }
  }

  /// Most places.
  static let limit = 24
  /// Counts end there: beyond it nothing more is said of a member.
  static let mostCount: UInt32 = 0x7FFF_FFFF

  private(set) var entries: [NodeID: Entry] = [:]

  /// Nobody.
  init() {}

  /// As it was told; nil: more than there is room for.
  init?(entries: [NodeID: Entry]) {
    guard entries.count <= Self.limit else { return nil }
    self.entries = entries
  }

  /// Who is on it, or invited.
  var members: Set<NodeID> { Set(entries.filter(\.value.isOn).keys) }

  func isOn(_ node: NodeID) -> Bool { entries[node]?.isOn ?? false }

  /// Adds a member, or removes it; false: there is no room.
  mutating func set(_ node: NodeID, isOn: Bool) -> Bool {
    guard self.isOn(node) != isOn else { return true }
    let count = entries[node]?.count ?? 0
    guard count < Self.mostCount, makeRoom(for: node) else { return false }
    entries[node] = Entry(count: count + 1, isOn: isOn)
    return true
  }

  /// The oldest of who was removed makes room.
  private mutating func makeRoom(for node: NodeID) -> Bool {
    guard entries[node] == nil, entries.count >= Self.limit else { return true }
    guard let gone = entries.filter({ !$0.value.isOn }).keys.min() else { return false }
    entries[gone] = nil
    return true
  }

  /// Takes what somebody who is on it says; nobody brings itself back.
  mutating func merge(_ other: PrivateRoster, from sender: NodeID) {
    for (node, entry) in other.entries.sorted(by: { $0.key < $1.key }) {
      guard !(node == sender && entry.isOn) || entries[node] == nil,
        entries[node].map(entry.isAfter) ?? true, entries[node] != nil || entries.count < Self.limit
      else { continue }
      entries[node] = entry
    }
  }

  /// Two rosters of one digest are the same: 8 octets of SHA-256 of all entries, in the order of the members' IDs.
  var digest: UInt64 {
    Digest.sha256(unsafe octets.span.bytes).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// The number of entries, and of each the member's ID (32 octets) and the count (4), its highest bit telling whether
  /// the member is on the line.
  var octets: [UInt8] {
    var octets = [UInt8(entries.count)]
    for (node, entry) in entries.sorted(by: { $0.key < $1.key }) {
      octets += node.octets
      let word = entry.count | (entry.isOn ? 0x8000_0000 : 0)
      for shift: UInt32 in [24, 16, 8, 0] {
        octets.append(UInt8(truncatingIfNeeded: word >> shift))
      }
    }
    return octets
  }
}

/// What a node tells another that is on a private line with it, or is to be, or was.
///
/// On the wire: the line's ID (16 octets), flags (1: is on it, 2: talks, 4: listens, 8: a roster follows), the digest
/// of the sender's roster (8); with a roster the length of the line's name, the name and the entries
/// (``PrivateRoster/octets``).
struct PrivateLineTold: Sendable, Hashable {
  /// Most lines that one member tells of.
  static let limit = LineLimits.privateLines
  /// Most rosters in a message, so that it stays below 4 KiB.
  static let rosterLimit = 2

  let id: PrivateLineID
  /// Whether the sender is on it by its own will.
  var isJoined = false
  var isTalking = false
  var isListening = false
  /// Of the sender's roster.
  var digest: UInt64 = 0
  /// Where the receiver has another roster, as far as the sender knows: what it is called and who is on it.
  var roster: Roster?

  struct Roster: Sendable, Hashable {
    var name: LineName
    var members: PrivateRoster
  }

  init(id: PrivateLineID) { self.id = id }

  var octets: [UInt8] {
    let flags =
      (isJoined ? 1 : 0) | (isTalking ? 2 : 0) | (isListening ? 4 : 0)
      | (roster != nil ? 8 : 0) as UInt8
    var octets = id.octets + [flags]
    octets += (0..<8).map { UInt8(truncatingIfNeeded: digest >> UInt64(56 - 8 * $0)) }
    if let roster {
      octets += [UInt8(roster.name.text.utf8.count)] + Array(roster.name.text.utf8)
      octets += roster.members.octets
    }
    return octets
  }

  /// Reads what another node wrote.
  init(_ reader: inout LineReader) throws(LineViolation) {
    guard let id = reader.octets(PrivateLineID.byteCount).flatMap(PrivateLineID.init(octets:)),
      let flags = reader.number(1), let digest = reader.number(8)
    else { throw .malformed }
    self.init(id: id)
    (isJoined, isTalking, isListening) = (flags & 1 != 0, flags & 2 != 0, flags & 4 != 0)
    self.digest = digest
    guard flags & 8 != 0 else { return }
    roster = Roster(name: try reader.label(), members: try reader.roster())
  }
}

extension LineReader {
  /// Who is on a private line.
  mutating func roster() throws(LineViolation) -> PrivateRoster {
    guard let count = number(1) else { throw .malformed }
    guard count <= PrivateRoster.limit else { throw .tooManyOnPrivateLine }
    var entries: [NodeID: PrivateRoster.Entry] = [:]
    for _ in 0..<count {
      guard let node = octets(NodeID.byteCount).flatMap(NodeID.init(octets:)),
        let word = number(4)
      else { throw .malformed }
      let entry = PrivateRoster.Entry(
        count: UInt32(word) & PrivateRoster.mostCount, isOn: word & 0x8000_0000 != 0)
      guard entries.updateValue(entry, forKey: node) == nil else { throw .badNumber }
    }
    guard let roster = PrivateRoster(entries: entries) else { throw .tooManyOnPrivateLine }
    return roster
  }

  /// What a member tells of private lines.
  mutating func privateLines() throws(LineViolation) -> [PrivateLineTold] {
    guard let count = number(1) else { throw .malformed }
    guard count <= PrivateLineTold.limit else { throw .tooManyPrivateLines }
    var lines: [PrivateLineTold] = []
    for _ in 0..<count {
      let line = try PrivateLineTold(&self)
      guard !lines.contains(where: { $0.id == line.id }) else { throw .badNumber }
      lines.append(line)
    }
    return lines
  }
}
