/// A configuration as a TOML file with comments.
enum ConfigurationText {
  /// The file; reading it gives the same configuration again.
  static func text(_ effective: EffectiveConfiguration, version: String) -> String {
    var lines = ["# The effective configuration of comlinkd \(version).", ""]
    for setting in Setting.allCases {
      let origin = effective.origins[setting] ?? .builtIn
      let source = origin == .builtIn ? "Default." : "From \(origin.words)."
      let value = toml(effective.configuration.value(of: setting))
      lines += [
        "# \(setting.summary)", "# \(printable(source))", "\(setting.rawValue) = \(value)", "",
      ]
    }
    return lines.dropLast().joined(separator: "\n") + "\n"
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
  private static func quoted(_ text: String) -> String {
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
