internal import StatusSchema

/// How good each peer of a ``Status`` is heard, and what it is sent.
enum QualityTable {
  /// A heading and one line a peer; nothing before one was heard.
  static func lines(_ peers: [PeerStatus]) -> [String] {
    let heard = peers.filter { $0.quality != nil }
    guard !heard.isEmpty else { return [] }
    return ["", "  peer       heard  why, and what it is sent"] + heard.map(line)
  }

  private static func line(_ peer: PeerStatus) -> String {
    let name = Cell.padded(
      (peer.isTalking ? "* " : "  ") + Cell.clean(peer.name), width: 12, isLeft: true)
    let figure = Cell.padded(
      peer.quality.map { Fixed.text($0, digits: 1) } ?? "-", width: 5, isLeft: false)
    return "\(name) \(figure)  \(Cell.clean(peer.qualityReason ?? ""))\(sent(peer))"
  }

  private static func sent(_ peer: PeerStatus) -> String {
    guard let rate = peer.sentBitrateKilobits, let copies = peer.sentCopies else { return "" }
    let words = copies.hasSuffix("FEC") ? Cell.clean(copies) : "copies \(Cell.clean(copies))"
    let shown = copies == "none" ? "" : ", \(words)"
    return "; \(Fixed.text(rate, digits: 0)) kbit/s to it\(shown)"
  }
}
