extension CryptoError: CustomStringConvertible {
  /// The error in words for a person; secrets are never part of it.
  public var description: String {
    switch self {
    case .unavailable(let what): "\(what) cannot be had on this system"
    case .outOfMemory(let bytes): "not enough memory for a secret of \(bytes) bytes"
    case .malformed(let what, let reason): "\(what): \(reason)"
    case .datagram(let fault): "a datagram was turned away: \(fault.rawValue)"
    case .pairing(let fault): "the nodes are not paired: \(Self.words(for: fault))"
    case .invitation(let reason): "this is no invitation to a group: \(reason)"
    case .groupName(let reason): "this cannot be a group's name: \(reason)"
    }
  }

  private static func words(for fault: PairingFault) -> String {
    switch fault {
    case .malformed: "the other sent something else than it should"
    case .outOfOrder: "the other sent something that nobody waits for"
    case .wrongPIN: "the PIN is wrong, or somebody is between the two"
    case .expired: "the PIN is older than two minutes; let it show another"
    case .usedUp: "the PIN is used up; let it show another"
    }
  }
}
