internal import CRealtime

/// A peer's name as JACK takes it in a port name.
enum PeerPortName {
  /// What every peer's port begins with.
  static let prefix = "peer_"
  /// The longest port name CRealtime keeps, without its closing zero.
  static let maximumBytes = Int(RT_NAME_BYTES) - 1

  /// `peer_` and the name, cut at a character's end.
  ///
  /// Colons (they part client and port) and control characters (names are listed one a line) become underscores.
  static func portName(forPeer name: String) -> String {
    var portName = prefix
    for character in name {
      let next = isUsable(character) ? character : "_"
      guard portName.utf8.count + next.utf8.count <= maximumBytes else { break }
      portName.append(next)
    }
    return portName
  }

  private static func isUsable(_ character: Character) -> Bool {
    character != ":" && character.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
  }
}
