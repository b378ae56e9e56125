/// Why a pairing came to nothing.
public enum PairingFault: String, CaseIterable, Hashable, Sendable {
  /// A message of another length than it should have, or a share that is none.
  case malformed
  /// A message that nobody waits for.
  case outOfOrder
  /// The other does not know the PIN, or somebody is between the two.
  case wrongPIN
  /// The PIN is older than two minutes.
  case expired
  /// The PIN was guessed wrong five times, or has paired two nodes already.
  case usedUp
}
