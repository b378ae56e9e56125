/// What a line of the order pipe says: `split a,b c` or `join`.
enum SwitchOrder: Equatable {
  /// Which part of the switch each node belongs to, in their order.
  case split([Int])
  case join

  /// Nil for a line that makes no sense.
  ///
  /// The parts are words of names with commas between; nodes that are not named make up one more part.
  init?(_ line: some StringProtocol, nodes: [String]) {
    let words = line.split(separator: " ")
    switch words.first {
    case "join" where words.count == 1: self = .join
    case "split" where words.count > 1:
      var parts = Array(repeating: 0, count: nodes.count)
      for (part, names) in words.dropFirst().enumerated() {
        for name in names.split(separator: ",", omittingEmptySubsequences: false) {
          guard let node = nodes.firstIndex(of: String(name)), parts[node] == 0 else { return nil }
          parts[node] = part + 1
        }
      }
      self = .split(parts)
    default: return nil
    }
  }
}
