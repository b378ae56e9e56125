extension CryptoError: CustomStringConvertible {
  /// The error in words for a person; secrets are never part of it.
  public var description: String {
    switch self {
    case .unavailable(let what): "\(what) cannot be had on this system"
    case .outOfMemory(let bytes): "not enough memory for a secret of \(bytes) bytes"
    case .malformed(let what, let reason): "\(what): \(reason)"
    case .datagram(let fault): "a datagram was turned away: \(fault.rawValue)"
    case .invitation(let reason): "this is no invitation to a group: \(reason)"
    case .groupName(let reason): "this cannot be a group's name: \(reason)"
    }
  }
}
