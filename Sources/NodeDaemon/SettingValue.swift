/// A value for a setting, its type checked but not its meaning.
enum SettingValue: Hashable, Sendable {
  case text(String)
  case list([String])
  case integer(Int)
  case number(Double)
  case boolean(Bool)

  /// Reads a value from the command line.
  init(flag text: String, for setting: Setting) throws(SettingProblem) {
    switch setting.kind {
    case .text: self = .text(text)
    case .list: self = .list([text])
    case .boolean:
      guard let isOn = Bool(text) else { throw .wrongType(expected: "true or false") }
      self = .boolean(isOn)
    case .integer:
      guard let value = Int(text) else { throw .wrongType(expected: "a whole number") }
      self = .integer(value)
    case .numberOrAuto where text == "auto": self = .text(text)
    case .number, .numberOrAuto:
      guard let value = Double(text), value.isFinite else {
        throw .wrongType(expected: Self.words(for: setting))
      }
      self = .number(value)
    }
  }

  /// What values of a setting are, in words.
  static func words(for setting: Setting) -> String {
    switch setting.kind {
    case .text: "text in quotes"
    case .list: "a list of texts, [\"…\", \"…\"]"
    case .integer: "a whole number"
    case .number: "a number"
    case .numberOrAuto: "a number or \"auto\""
    case .boolean: "true or false"
    }
  }
}
