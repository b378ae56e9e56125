/// Keys of a device as it is held or mounted, set at once: a key a line, under names that stay whatever the lines are.
public enum KeyPreset: String, Sendable, Hashable, CaseIterable {
  /// One key for all of the lines.
  case button
  /// Four keys, a line each.
  case beltpack
  /// Twelve keys, a line each.
  case panel

  /// What its keys are called.
  ///
  /// That of a button is what panels of one button press unless told otherwise.
  public var names: [KeyName] {
    let texts: [String] =
      switch self {
      case .button: ["talk"]
      case .beltpack: ["A", "B", "C", "D"]
      case .panel: (1...12).map { "\($0)" }
      }
    return texts.compactMap { try? KeyName($0) }
  }

  /// The keys for lines in their order; of more lines than keys the first.
  ///
  /// Each talks while it is held or latched by a tap, and its lines are always heard.
  func keys(for lines: [LineName]) throws(LineError) -> [Key] {
    if self == .button { return [try Key(names[0], lines: lines)] }
    var keys: [Key] = []
    for (name, line) in zip(names, lines) { keys.append(try Key(name, lines: [line])) }
    return keys
  }
}

extension LineDesk {
  /// Sets the keys of a device, in the place of those that have its keys' names.
  ///
  /// - Parameter lines: which keys are for, in their order; none: those that the node is on, `all` first.
  /// - Returns: the keys.
  public mutating func set(_ preset: KeyPreset, for lines: [LineName]) throws(LineError) -> [Key] {
    let joined = self.lines.filter(\.isJoined).map(\.name)
    for line in lines where !joined.contains(line) { throw .notOnLine(line) }
    guard preset == .button || lines.count <= preset.names.count else { throw .tooFewKeys(preset) }
    let keys = try preset.keys(for: lines.isEmpty ? joined : lines)
    var desk = self
    for name in preset.names where !keys.contains(where: { $0.name == name }) {
      try? desk.removeKey(name)
    }
    for key in keys { try desk.setKey(key) }
    self = desk
    return keys
  }
}
