/// What is wrong with the value of one setting, without where it stands.
enum SettingProblem: Error, Hashable, Sendable {
  /// A value of another type was expected.
  case wrongType(expected: String)
  /// The value itself will not do, in words.
  case badValue(String)

  /// The problem in words, as the end of a sentence that begins with the setting.
  var words: String {
    switch self {
    case .wrongType(let expected): "must be \(expected)"
    case .badValue(let words): words
    }
  }
}
