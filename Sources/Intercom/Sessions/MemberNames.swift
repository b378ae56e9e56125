import Cryptography
import Habits

/// What members are called: who comes back has the name that it had, whoever came meanwhile,
/// also after a restart of this node.
///
/// Names of those that are away stay theirs, so that JACK's ports, and what is patched to them,
/// mean the same node again.
struct MemberNames {
  private(set) var memory: NameMemory
  /// How often that changed.
  private(set) var changeCount = 0

  /// Goes on with the names of a former run.
  init(_ memory: NameMemory = NameMemory()) { self.memory = memory }

  /// The name of a member that calls itself `wish`: the one that it had by that, or the first that is nobody else's.
  mutating func name(
    of node: NodeID, wish: String, isHere: (NodeID) -> Bool
  ) -> String {
    if let known = memory.entries[node], known.wish == wish { return known.name }
    memory.entries[node] = nil
    // Beyond so many, a name of one that is away is free for each that comes.
    if memory.entries.count >= NameMemory.mostEntries { freeOne(isHere) }
    let name = PeerName.unique(wish, among: Set(memory.entries.values.map(\.name)))
    memory.entries[node] = NameMemory.Entry(wish: wish, name: name)
    changeCount += 1
    return name
  }

  /// One at a time: a crowd that comes once is not to cost all others their names.
  private mutating func freeOne(_ isHere: (NodeID) -> Bool) {
    if let away = memory.entries.keys.first(where: { !isHere($0) }) { memory.entries[away] = nil }
  }

  /// Lets others have the name of a node.
  ///
  /// Of those that have to have a number because of it the lowest needs none any more, first of those that are here.
  ///
  /// - Returns: who is called otherwise now.
  mutating func free(_ node: NodeID, isHere: (NodeID) -> Bool) -> NodeID? {
    guard let freed = memory.entries.removeValue(forKey: node) else { return nil }
    changeCount += 1
    guard freed.name == freed.wish else { return nil }
    let numbered = memory.entries.filter { $0.value.wish == freed.wish }
    let heir = numbered.min { one, other in
      let are = (isHere(one.key), isHere(other.key))
      guard are.0 == are.1 else { return are.0 }
      let (name, otherName) = (one.value.name, other.value.name)
      return (name.utf8.count, name) < (otherName.utf8.count, otherName)
    }
    if let heir { memory.entries[heir.key]?.name = freed.name }
    return heir?.key
  }
}

/// A peer's display name as it may be shown and used in a JACK port name.
///
/// Names come from the network (SDES NAME, RFC 3550 §6.5.2) and may hold anything up to 255 bytes.
enum PeerName {
  /// Longest name in UTF-8 bytes; leaves room for "peer_" and a number within JACK's port name.
  static let maximumByteCount = 48

  /// `text` without control characters, colons and line breaks, cut to ``maximumByteCount``;
  /// "unnamed" if nothing is left.
  static func sanitized(_ text: String) -> String {
    var result = ""
    for character in text.unicodeScalars {
      let isShown = character.value >= 0x20 && character.value != 0x7F && !isFormatting(character)
      let scalar = isShown && character != ":" ? Character(character) : "_"
      guard result.utf8.count + scalar.utf8.count <= maximumByteCount else { break }
      result.append(scalar)
    }
    let blank: Set<Character> = ["_", " "]
    return result.allSatisfy(blank.contains) ? "unnamed" : result
  }

  /// `name`, or `name-2`, `name-3` … if it is already in `taken`.
  static func unique(_ name: String, among taken: Set<String>) -> String {
    guard taken.contains(name) else { return name }
    var number = 2
    while taken.contains("\(name)-\(number)") { number += 1 }
    return "\(name)-\(number)"
  }

  /// C1 controls and the invisible marks that can make a terminal lie (bidirectional overrides, zero width).
  private static func isFormatting(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x80...0x9F, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0xFEFF: true
    default: false
    }
  }
}
