extension ControlPlaneError: CustomStringConvertible {
  /// One sentence for people.
  public var description: String {
    switch self {
    case .identity(let words): "this node's key cannot be used for control connections: \(words)"
    case .addressInUse(let address):
      "cannot take control connections at \(address): another program does so already; "
        + "end it, or choose another port"
    case .listening(let address, let words):
      "cannot take control connections at \(address): \(words)"
    case .connection(let words): "the pairing connection came to nothing: \(words)"
    case .late(let seconds): "the other node said nothing for \(seconds) s"
    case .frame(let byteCount, let maximum):
      "a frame of a pairing has \(byteCount) bytes instead of 1 to \(maximum)"
    case .stopped: "control connections are stopped"
    }
  }
}
