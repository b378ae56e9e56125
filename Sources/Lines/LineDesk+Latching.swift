internal import Cryptography

/// Keys that may not latch, as whom they are for says so.
///
/// No such key is latched, however it came to be; what is held stays open.
extension LineDesk {
  /// Taps a key: presses and releases at once.
  ///
  /// - Throws: that whom it is for lets no key latch; then nothing happens.
  public mutating func tap(_ name: KeyName, nowNanoseconds now: Int64) throws(LineError) {
    if let key = desk.keys(on: own.names).first(where: { $0.name == name }),
      key.activation.talks, !key.activation.tapsListen, key.latchMilliseconds > 0,
      let node = latchRefuser(of: key)
    {
      throw .latchRefused(key.name, by: book.called[node] ?? String(node.text.prefix(8)))
    }
    try press(name, nowNanoseconds: now)
    try release(name, nowNanoseconds: now)
  }

  /// Which of those alone that a key talks to lets no key latch; nil: none of them.
  func latchRefuser(of key: Key) -> NodeID? {
    let refusers = callDesk.latchRefusers
    guard !refusers.isEmpty else { return nil }
    for target in key.targets {
      var node: NodeID?
      switch target {
      case .member(let name): node = book.node(name)
      case .reply:
        let origin = callDesk.answering ?? callDesk.stack.first?.origin
        node = origin.flatMap { $0.line == nil ? $0.node : nil }
      case .line, .group, .announcement, .allLines, .assistant: break
      }
      if let node, refusers.contains(node) { return node }
    }
    return nil
  }

  /// Keys that are latched and may not be.
  var refusedLatches: [KeyName] {
    guard !callDesk.latchRefusers.isEmpty else { return [] }
    return desk.keys(on: own.names)
      .filter { desk.state(of: $0.name).isLatched && latchRefuser(of: $0) != nil }.map(\.name)
  }
}
