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
    case .text, .word: self = .text(text)
    case .list: self = .list([text])
    case .boolean:
      guard let isOn = Bool(text) else { throw .wrongType(expected: "true or false") }
      self = .boolean(isOn)
    case .integer:
      guard let value = Int(text) else { throw .wrongType(expected: "a whole number") }
      self = .integer(value)
    case .numberOrAuto where text == "auto": self = .text(text)
    case .numberOrOff where text == "off": self = .text(text)
    case .number, .numberOrAuto, .numberOrOff:
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
    case .numberOrOff: "a number or \"off\""
    case .word: "a number, or a text in quotes"
    case .boolean: "true or false"
    }
  }
}

extension SettingValue: CustomStringConvertible {
  /// The value as a user would write it after a flag.
  var description: String {
    switch self {
    case .text(let text): text
    case .list(let texts): texts.joined(separator: ",")
    case .integer(let number): "\(number)"
    case .number(let number): number == number.rounded() ? "\(Int(number))" : "\(number)"
    case .boolean(let isOn): "\(isOn)"
    }
  }
}

/// Finds what somebody may have meant.
enum NearestWord {
  /// The word of `known` that takes the fewest changes (at most two, and fewer than half its
  /// letters) to make of `word`; nil if none is near.
  static func find(_ word: String, among known: [String]) -> String? {
    let near = known.map { (word: $0, changes: distance(Array(word), Array($0))) }
    guard let best = near.min(by: { $0.changes < $1.changes }),
      best.changes <= 2, best.changes * 2 < best.word.count
    else { return nil }
    return best.word
  }

  /// Levenshtein's distance: insertions, deletions and replacements.
  private static func distance(_ from: [Character], _ to: [Character]) -> Int {
    var row = Array(0...to.count)
    for (i, letter) in from.enumerated() {
      var diagonal = row[0]
      row[0] = i + 1
      for (j, other) in to.enumerated() {
        let replaced = diagonal + (letter == other ? 0 : 1)
        diagonal = row[j + 1]
        row[j + 1] = min(replaced, row[j] + 1, diagonal + 1)
      }
    }
    return row[to.count]
  }
}

/// Negative numbers as values of flags.
///
/// The parser takes whatever begins with a hyphen for an option, so `--playout-delay -1` would lack its value
/// instead of being out of range; `--playout-delay=-1` is understood.
enum NegativeValue {
  /// The arguments with each negative number attached to the flag before it.
  static func attached(_ arguments: [String]) -> [String] {
    arguments.reduce(into: []) { attached, argument in
      if isNegative(argument), let flag = attached.last, flag.hasPrefix("--"), !flag.contains("=") {
        attached[attached.count - 1] = "\(flag)=\(argument)"
      } else {
        attached.append(argument)
      }
    }
  }

  private static func isNegative(_ argument: String) -> Bool {
    let rest = argument.dropFirst()
    return argument.hasPrefix("-") && rest.first.map { $0.isNumber || $0 == "." } == true
      && Double(rest) != nil
  }
}
