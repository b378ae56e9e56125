extension PanelError: CustomStringConvertible {
  /// What was tried and why it failed, in words for a person.
  public var description: String {
    switch self {
    case .addressInUse(let address):
      "TCP \(address) is in use by another program (`ss -ltnp` shows which): end it or choose another port"
    case .listening(let address, let words): "cannot listen on TCP \(address): \(words)"
    }
  }
}
