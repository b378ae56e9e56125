/// Finds the lines of a TOML document's top-level keys, which the TOML library does not tell.
///
/// The document has been parsed before, so it is well-formed; this only has to tell keys from values,
/// strings and comments.
struct KeyLines {
  private let bytes: [UInt8]
  private var position = 0
  private var line = 1
  private var lines: [String: Int] = [:]

  /// The line of each top-level key or table, 1 is the first; of a key in a table by `TABLE.KEY`.
  static func find(in text: String) -> [String: Int] {
    var search = KeyLines(text)
    search.run()
    return search.lines
  }

  private init(_ text: String) { bytes = Array(text.utf8) }

  private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func run() {
    var table: String?
    while let byte = current {
      switch byte {
      case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n"): advance()
      case UInt8(ascii: "#"): skipComment()
      case UInt8(ascii: "["):
        while current == UInt8(ascii: "[") { advance() }
        let found = key()
        table = found
        note(found)
        skipValue()
      default:
        let found = key()
        note(table.map { "\($0).\(found)" } ?? found)
        skipValue()
      }
    }
  }

  private mutating func advance() {
    if current == UInt8(ascii: "\n") { line += 1 }
    position += 1
  }

  private mutating func note(_ key: String) {
    if lines[key] == nil { lines[key] = line }
  }

  /// The first part of a key, bare or quoted.
  private mutating func key() -> String {
    while current == UInt8(ascii: " ") || current == UInt8(ascii: "\t") { advance() }
    if let quote = current, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
      let start = position + 1
      skipString(quote)
      return String(decoding: bytes[start..<max(start, position - 1)], as: UTF8.self)
    }
    let start = position
    while let byte = current, !Array(" \t.=]\n".utf8).contains(byte) { advance() }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  /// Goes on to the end of the line on which the value that follows ends.
  private mutating func skipValue() {
    var depth = 0
    while let byte = current {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "'"): skipString(byte)
      case UInt8(ascii: "#"): skipComment()
      case UInt8(ascii: "\n") where depth <= 0: return advance()
      default:
        if byte == UInt8(ascii: "[") || byte == UInt8(ascii: "{") { depth += 1 }
        if byte == UInt8(ascii: "]") || byte == UInt8(ascii: "}") { depth -= 1 }
        advance()
      }
    }
  }

  private mutating func skipComment() {
    while let byte = current, byte != UInt8(ascii: "\n") { advance() }
  }

  /// Goes past a string of one or three quotes of a kind; only double quotes know escapes.
  private mutating func skipString(_ quote: UInt8) {
    let isLong = bytes[position...].starts(with: [quote, quote, quote])
    let end = [UInt8](repeating: quote, count: isLong ? 3 : 1)
    for _ in end { advance() }
    while let byte = current {
      if byte == UInt8(ascii: "\\"), quote == UInt8(ascii: "\"") {
        advance()
      } else if bytes[position...].starts(with: end) {
        for _ in end { advance() }
        // Up to two quotes may stand right before the three that end a long string.
        while isLong, current == quote { advance() }
        return
      }
      advance()
    }
  }
}

/// A configuration as a TOML file with comments.
enum ConfigurationText {
  /// The file; reading it gives the same configuration again.
  static func text(_ effective: EffectiveConfiguration, version: String) -> String {
    var lines = ["# The effective configuration of comlinkd \(version).", ""]
    var table: String?
    for setting in Setting.allCases.filter({ $0.table == nil })
      + Setting.allCases.filter({ $0.table != nil })
    {
      if let own = setting.table, own != table {
        lines += ["[\(own)]"]
        table = own
      }
      let origin = effective.origins[setting] ?? .builtIn
      let source = origin == .builtIn ? "Default." : "From \(origin.words)."
      let value = toml(effective.configuration.value(of: setting))
      lines += [
        "# \(setting.summary)", "# \(printable(source))", "\(setting.key) = \(value)", "",
      ]
    }
    return lines.dropLast().joined(separator: "\n") + "\n"
      + LineTables.text(
        effective.configuration.lines, messages: effective.configuration.lineMessages)
  }

  private static func toml(_ value: SettingValue) -> String {
    switch value {
    case .text(let text): quoted(text)
    case .list(let texts): "[\(texts.map(quoted).joined(separator: ", "))]"
    case .integer(let number): "\(number)"
    case .number(let number):
      number == number.rounded() ? "\(Int(number))" : "\(number)"
    case .boolean(let isOn): "\(isOn)"
    }
  }

  /// The text as a TOML basic string.
  static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case let control where control.properties.generalCategory == .control:
        let digits = String(control.value, radix: 16)
        quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }

  /// The text as a comment can hold it.
  private static func printable(_ text: String) -> String {
    String(text.map { $0.isNewline || $0.unicodeScalars.contains { $0.value < 32 } ? "?" : $0 })
  }
}
