/// Puts a configuration together: defaults, then the file, then the flags.
struct ConfigurationLoader {
  /// A flag of the command line and its value.
  typealias Flag = (setting: Setting, value: SettingValue)

  let surroundings: Surroundings

  /// The configuration that holds.
  ///
  /// - Parameters:
  ///   - path: the file named by `--config`, which must exist; nil for the standard places.
  ///   - flags: each setting once; they replace what the file says, lists as a whole.
  func load(path: String?, flags: [Flag]) throws(DaemonError) -> EffectiveConfiguration {
    var effective = EffectiveConfiguration(
      configuration: Configuration(
        hostName: surroundings.hostName, environment: surroundings.environment))
    if let (path, text) = try fileText(path: path) {
      effective.path = path
      for entry in try ConfigurationFile(text: text, path: path).entries {
        try effective.set(
          entry.setting, to: entry.value, origin: .file(path: path, line: entry.line))
      }
    }
    for flag in flags {
      try effective.set(flag.setting, to: flag.value, origin: .flag(flag.setting))
    }
    do throws(SettingConflict) {
      try effective.configuration.check()
    } catch {
      throw .setting(
        error.setting, origin: effective.origins[error.setting] ?? .builtIn, words: error.words)
    }
    return effective
  }

  private func fileText(path: String?) throws(DaemonError) -> (path: String, text: String)? {
    for candidate in path.map({ [$0] }) ?? surroundings.standardPaths {
      switch surroundings.read(candidate) {
      case .text(let text): return (candidate, text)
      case .unreadable(let words):
        throw .file(path: candidate, line: nil, words: "cannot be read: \(words)")
      case .missing where path != nil:
        throw .file(path: candidate, line: nil, words: "no such file (named by --config)")
      case .missing: continue
      }
    }
    return nil
  }
}

extension EffectiveConfiguration {
  fileprivate mutating func set(
    _ setting: Setting, to value: SettingValue, origin: Origin
  ) throws(DaemonError) {
    do throws(SettingProblem) {
      try configuration.set(setting, to: value)
      origins[setting] = origin
    } catch {
      throw .setting(setting, origin: origin, words: error.words)
    }
  }
}
