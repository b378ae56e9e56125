internal import Cryptography

/// The TXT record of a node (RFC 6763 §6): strings `key=value`, a length octet before each.
///
///     txtvers=1
///     id=    the node's ID, 52 characters
///     name=  the display name, UTF-8, at most 63 octets
///     ver=   the software's version, at most 31 octets
///     salt=  13 characters
///     g=     hints at groups, 13 characters each, at most 16, in order; absent: none
///
/// At most 416 octets, so that it fits a packet with everything else. Keys are read in upper and lower case, the first
/// of equal ones counts (§6.4), unknown ones are passed over.
struct ServiceText: Hashable, Sendable {
  /// Why TXT data is not a node's.
  enum Refusal: Error, Hashable {
    /// Longer than ``maximumBytes``.
    case oversized
    /// A string reaches beyond the end.
    case malformed
    /// No ID, or not one.
    case nameless
    /// A later, incompatible version of this record.
    case version
  }

  /// Most octets that are read.
  static let maximumBytes = 1300
  static let maximumNameBytes = 63
  static let maximumVersionBytes = 31
  static let maximumHints = ServiceDescription.maximumGroups

  var node: NodeID
  var name: String
  var softwareVersion: String
  var salt: GroupHint.Salt?
  var hints: [GroupHint]

  /// A node's description.
  init(_ service: ServiceDescription, salt: GroupHint.Salt) {
    node = service.node
    name = DisplayText.clean(service.name, maximumBytes: Self.maximumNameBytes)
    softwareVersion = DisplayText.clean(
      service.softwareVersion, maximumBytes: Self.maximumVersionBytes)
    self.salt = salt
    // In order of the hints, so that the order of the groups is not told.
    hints = service.groups.prefix(Self.maximumHints)
      .map { GroupHint(of: $0, salt: salt, node: service.node) }
      .sorted { $0.text < $1.text }
  }

  /// Parses a node's description.
  init(parsing octets: [UInt8]) throws(Refusal) {
    guard octets.count <= Self.maximumBytes else { throw .oversized }
    let values = try Self.values(octets)
    guard (values["txtvers"] ?? "1") == "1" else { throw .version }
    guard let node = values["id"].flatMap({ NodeID(text: $0) }) else { throw .nameless }
    self.node = node
    name = DisplayText.clean(values["name"] ?? "", maximumBytes: Self.maximumNameBytes)
    if name.isEmpty { name = String(node.text.prefix(6)) }
    softwareVersion = DisplayText.clean(
      values["ver"] ?? "", maximumBytes: Self.maximumVersionBytes)
    salt = values["salt"].flatMap { GroupHint.Salt(text: $0) }
    hints = Self.hints(values["g"] ?? "")
  }

  /// As it is sent.
  var octets: [UInt8] {
    var strings = ["txtvers=1", "id=\(node.text)", "name=\(name)", "ver=\(softwareVersion)"]
    if let salt { strings.append("salt=\(salt.text)") }
    if !hints.isEmpty { strings.append("g=" + hints.map(\.text).joined()) }
    // None is longer than 255: the longest are the hints with 2 + 16 * 13.
    return strings.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
  }

  /// Whether it hints at one of these groups.
  func sharesGroup(with groups: [Group]) -> Bool {
    guard let salt, !hints.isEmpty else { return false }
    return groups.contains { hints.contains(GroupHint(of: $0, salt: salt, node: node)) }
  }

  private static let keys: Set<String> = ["txtvers", "id", "name", "ver", "salt", "g"]

  private static func values(_ octets: [UInt8]) throws(Refusal) -> [String: String] {
    var values: [String: String] = [:]
    var rest = octets[...]
    while let count = rest.popFirst() {
      guard rest.count >= Int(count) else { throw .malformed }
      let string = rest.prefix(Int(count))
      rest = rest.dropFirst(Int(count))
      guard let end = string.firstIndex(of: UInt8(ascii: "=")), end > string.startIndex else {
        continue
      }
      let key = String(decoding: string[..<end].map(lowercase), as: UTF8.self)
      guard keys.contains(key), values[key] == nil else { continue }
      values[key] = String(decoding: string[(end + 1)...], as: UTF8.self)
    }
    return values
  }

  private static func lowercase(_ octet: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(octet) ? octet | 0x20 : octet
  }

  private static func hints(_ text: String) -> [GroupHint] {
    let characters = Array(text.utf8)
    return stride(from: 0, to: characters.count, by: GroupHint.characterCount)
      .prefix(maximumHints).compactMap { start in
        let end = min(start + GroupHint.characterCount, characters.count)
        return GroupHint(text: String(decoding: characters[start..<end], as: UTF8.self))
      }
  }
}

/// Makes text of the network's, or the user's, fit to be shown and sent.
enum DisplayText {
  /// Text without what cannot be seen (control and format characters, line ends) and without blanks around, cut to
  /// whole characters within a number of octets.
  static func clean(_ text: some StringProtocol, maximumBytes: Int) -> String {
    var scalars = String.UnicodeScalarView()
    for scalar in text.unicodeScalars where isVisible(scalar) { scalars.append(scalar) }
    let visible = String(scalars)
    let trimmed = trim(visible[...])
    var count = 0
    let fitting = trimmed.prefix { character in
      count += character.utf8.count
      return count <= maximumBytes
    }
    return String(trim(fitting))
  }

  private static func trim(_ text: Substring) -> Substring {
    var text = text.drop { $0 == " " }
    while text.last == " " { text.removeLast() }
    return text
  }

  private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: false
    default: true
    }
  }
}
