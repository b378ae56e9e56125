/// What small displays show of a label.
extension Label {
  /// Most characters that a display shows.
  public static let displayCharacters = 8

  /// A name for displays, as a user writes it; nil: none, it is empty.
  ///
  /// - Throws: that it is too long, or no label.
  public static func display(_ text: String) throws(LineError) -> Label? {
    guard !text.isEmpty else { return nil }
    guard text.count <= displayCharacters, let label = try? Label(text) else {
      throw .badDisplay(text)
    }
    return label
  }

  /// The first of its characters, as people count them, with no space at the end.
  public var shortened: String {
    var text = text.prefix(Self.displayCharacters)
    while text.last == " " { text.removeLast() }
    return String(text)
  }
}
