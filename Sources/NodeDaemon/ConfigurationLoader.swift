internal import Store

/// Puts a configuration together: defaults, then the profile, then the file, then what was chosen on the station
/// (``NodeState/chosenName`` in the state directory, a name and a profile), then the flags.
struct ConfigurationLoader {
  /// A flag of the command line and its value.
  typealias Flag = (setting: Setting, value: SettingValue)

  let surroundings: Surroundings

  /// The configuration that holds.
  ///
  /// What was chosen never keeps a node from starting: where it cannot be read or does not go with the rest, all of it
  /// is passed over, and ``EffectiveConfiguration/chosenProblem`` tells why.
  ///
  /// - Parameters:
  ///   - path: the file named by `--config`, which must exist; nil for the standard places.
  ///   - flags: each setting once; they replace what the file says, lists as a whole.
  func load(path: String?, flags: [Flag]) throws(DaemonError) -> EffectiveConfiguration {
    var effective = try load(path: path, flags: flags, chosen: nil)
    guard let place = effective.chosenPath else { return effective }
    switch surroundings.read(place) {
    case .missing: break
    case .unreadable(let words): effective.chosenProblem = "\(place) cannot be read: \(words)"
    case .text(let text):
      do throws(DaemonError) {
        return try load(path: path, flags: flags, chosen: (place, text))
      } catch {
        effective.chosenProblem = "\(error)"
      }
    }
    return effective
  }

  /// The configuration with this file of what was chosen in place of the one that there is; nil: without one.
  func load(
    path: String?, flags: [Flag], chosen: (path: String, text: String)?
  ) throws(DaemonError) -> EffectiveConfiguration {
    var effective = EffectiveConfiguration(
      configuration: Configuration(
        hostName: surroundings.hostName, environment: surroundings.environment),
      source: ConfigurationSource(loader: self, path: path, flags: flags))
    var given: [(setting: Setting, value: SettingValue, origin: Origin)] = []
    if let (path, text) = try fileText(path: path) {
      effective.path = path
      let file = try ConfigurationFile(text: text, path: path)
      effective.configuration.lines = file.lines
      effective.configuration.lineMessages = file.lineMessages
      given += file.entries.map { ($0.setting, $0.value, .file(path: path, line: $0.line)) }
    }
    if let (path, text) = chosen {
      given += try ConfigurationFile(text: text, path: path).entries
        .filter { Setting.chosen.contains($0.setting) }
        .map { ($0.setting, $0.value, .file(path: path, line: $0.line)) }
    }
    given += flags.map { ($0.setting, $0.value, .flag($0.setting)) }
    // Whose defaults hold must be known first; all is set in its order again, as the first mistake is to be told.
    if let profile = given.last(where: { $0.setting == .profile }) {
      try effective.set(.profile, to: profile.value, origin: profile.origin)
      try effective.takeProfile()
    }
    for (setting, value, origin) in given {
      try effective.set(setting, to: value, origin: origin)
    }
    effective.settleBitrateMaximum()
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
        throw .file(path: candidate, line: nil, words: "no such file; check --config")
      case .missing: continue
      }
    }
    return nil
  }
}

extension EffectiveConfiguration {
  /// Makes the chosen profile's settings the defaults.
  fileprivate mutating func takeProfile() throws(DaemonError) {
    for (setting, value) in configuration.profile.settings {
      try set(setting, to: value, origin: .profile(configuration.profile.text))
    }
  }

  /// A profile's bound is for its own bit rate: who chooses a higher one gets what is usual.
  fileprivate mutating func settleBitrateMaximum() {
    guard case .profile = origins[.bitrateMax],
      configuration.effectiveBitrateMaximumKilobits < configuration.bitrateKilobits
    else { return }
    configuration.bitrateMaximumKilobits = nil
    origins[.bitrateMax] = nil
  }

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

/// A configuration, and where each of its settings comes from.
struct EffectiveConfiguration: Sendable {
  /// What holds.
  var configuration: Configuration
  /// Where it comes from; settings that are not listed have their defaults.
  var origins: [Setting: Origin] = [:]
  /// The file that was read, if any.
  var path: String?
  /// What it was put together from.
  var source: ConfigurationSource
  /// Why what was chosen on the station does not hold; nil: it does, or nothing was.
  var chosenProblem: String?

  /// The file of what is chosen on the station; nil: it keeps nothing.
  var chosenPath: String? {
    configuration.statePath.isEmpty ? nil : "\(configuration.statePath)/\(NodeState.chosenName)"
  }
}

/// What a configuration is put together from, to try another choice with it.
struct ConfigurationSource: Sendable {
  let loader: ConfigurationLoader
  let path: String?
  let flags: [ConfigurationLoader.Flag]

  /// The configuration with this file of what was chosen.
  func load(chosen: (path: String, text: String)?) throws(DaemonError) -> EffectiveConfiguration {
    try loader.load(path: path, flags: flags, chosen: chosen)
  }
}
