/// What can go wrong in this target; a datagram that fails authentication is counted by reason instead.
public enum CryptoError: Error, Hashable, Sendable {
  /// The system gives no random numbers, or the library does not start.
  case unavailable(what: String)
  /// Memory for a secret could not be had.
  case outOfMemory(bytes: Int)
  /// Octets from outside are not what they should be: what was read, and why it will not do.
  case malformed(what: String, reason: String)
  /// A datagram was neither protected nor let in.
  case datagram(DatagramFault)
  /// Two nodes were not paired.
  case pairing(PairingFault)
  /// A text that should invite to a group does not: why, in words for whoever typed it.
  case invitation(reason: String)
  /// A name that no group can have: why.
  case groupName(reason: String)
}
