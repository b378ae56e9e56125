/// What people call a party line.
public typealias LineName = Label
/// What people call a key.
public typealias KeyName = Label

/// What people call a line or a key: 1 to 30 bytes of UTF-8 that can be shown on one line.
///
/// Two labels that differ in case only, in how Unicode composes a character, or in what nobody sees, are the same.
public struct Label: Sendable {
  /// The longest in UTF-8.
  public static let byteLimit = 30

  /// What is the same of labels that are: for those who keep them elsewhere.
  public var folded: String { identity }
  /// As it was written first.
  public let text: String
  /// What tells labels apart.
  private let identity: String

  /// Takes a label.
  ///
  /// - Throws: what is wrong with it.
  public init(_ text: String) throws(LineError) {
    guard (1...Self.byteLimit).contains(text.utf8.count), text.first != " ", text.last != " ",
      text.unicodeScalars.allSatisfy(Self.isShown)
    else { throw .badLabel(text) }
    self.init(unchecked: text)
    guard !identity.isEmpty else { throw .badLabel(text) }
  }

  /// The label of the line that everyone is on, and of its key.
  public static let all = Label(unchecked: "all")
  /// The label of the key that answers whoever called last.
  public static let reply = Label(unchecked: "reply")

  private init(unchecked text: String) {
    self.text = text
    // What shows nothing by itself, as the joiners of emoji, makes no other name.
    let seen = text.unicodeScalars.filter { !$0.properties.isDefaultIgnorableCodePoint }
    identity = String(String.UnicodeScalarView(seen)).lowercased()
  }

  /// What would break a line or turn its direction is in no label.
  private static func isShown(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator, .unassigned, .privateUse: false
    case .spaceSeparator: scalar == " "
    default: !(0x202A...0x202E).contains(scalar.value) && !(0x2066...0x2069).contains(scalar.value)
    }
  }
}

extension Label: Hashable, Comparable, CustomStringConvertible {
  /// Whether both are the same but for case.
  public static func == (one: Label, other: Label) -> Bool { one.identity == other.identity }

  /// By their letters, whatever their case.
  public static func < (one: Label, other: Label) -> Bool { one.identity < other.identity }

  /// By what tells labels apart.
  public func hash(into hasher: inout Hasher) { hasher.combine(identity) }

  /// As it was written.
  public var description: String { text }
}
