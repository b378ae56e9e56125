/// Where a setting's value comes from.
enum Origin: Hashable, Sendable {
  /// Nobody set it.
  case builtIn
  /// The profile that was chosen.
  case profile(String)
  /// A configuration file; the line of the key, 1 is the first.
  case file(path: String, line: Int?)
  /// A flag of the command line.
  case flag(Setting)

  /// The place in words, for the start of a message; empty for a default.
  var words: String {
    switch self {
    case .builtIn: "default"
    case .profile(let name): "profile \(name)"
    case .file(let path, let line): line.map { "\(path):\($0)" } ?? path
    case .flag(let setting): "--\(setting.rawValue)"
    }
  }
}
