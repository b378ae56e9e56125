internal import Remote
internal import Store

/// What is chosen on the station in place of its configuration file: its name and its profile, from the next start on.
struct StationChoices: Sendable {
  /// The word that takes a choice back.
  static let none = "default"

  let source: ConfigurationSource
  let state: NodeState
  let writer: StateWriter

  /// Keeps these choices beside the former ones, if the configuration holds with them.
  func choose(_ changes: [String: String]) async -> ControlResponse {
    // One after the other, each after what the former left in the file.
    await writer.run { take(changes) }
  }

  private func take(_ changes: [String: String]) -> ControlResponse {
    let known = Setting.chosen.map(\.rawValue)
    guard !changes.isEmpty else { return .error(message: "choose name or profile") }
    if let other = changes.keys.sorted().first(where: { !known.contains($0) }) {
      return .error(message: "\"\(other)\" cannot be chosen; choose name or profile")
    }
    guard let directory = state.directory else {
      return .error(message: "this node has no state directory to keep a choice in: set --state")
    }
    let path = "\(directory)/\(NodeState.chosenName)"
    var chosen = former(at: path)
    for (name, value) in changes { chosen[name] = value == Self.none ? nil : value }
    do {
      let text = Self.text(of: chosen)
      let effective = try source.load(chosen: text.map { (path, $0) })
      try state.keep(chosen: text)
      return .done(note: Self.note(on: changes, effective))
    } catch {
      return .error(message: "\(error)")
    }
  }

  /// What was chosen before; nothing where that cannot be read: what is chosen now replaces it.
  private func former(at path: String) -> [String: String] {
    guard case .text(let text) = source.loader.surroundings.read(path),
      let file = try? ConfigurationFile(text: text, path: path)
    else { return [:] }
    let entries = file.entries.filter { Setting.chosen.contains($0.setting) }
    return Dictionary(uniqueKeysWithValues: entries.map { ($0.setting.rawValue, "\($0.value)") })
  }

  /// The file; nil: nothing is chosen.
  private static func text(of chosen: [String: String]) -> String? {
    guard !chosen.isEmpty else { return nil }
    let lines = chosen.sorted { $0.key < $1.key }.map { name, value in
      "\(name) = \(ConfigurationText.quoted(value))\n"
    }
    return "# Set by comlink choose; --flags win over it, and it wins over comlink.toml.\n"
      + lines.joined()
  }

  /// What comes of it, also where a flag wins over it.
  private static func note(
    on changes: [String: String], _ effective: EffectiveConfiguration
  ) -> String {
    let settings = Setting.chosen.filter { changes[$0.rawValue] != nil }
    let words = settings.map { setting in
      let isFlag = effective.origins[setting] == .flag(setting)
      return "\(setting.rawValue) \(effective.configuration.value(of: setting))"
        + (isFlag ? ", as --\(setting.rawValue) has it," : "")
    }
    return words.joined(separator: " and ") + (settings.count == 1 ? " holds" : " hold")
      + " from the next start: comlink restart"
  }
}
