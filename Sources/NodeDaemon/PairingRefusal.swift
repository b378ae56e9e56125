internal import Cryptography

/// Why the node that shows a PIN, or does not, ends a pairing: one octet, in place of its next frame.
enum PairingRefusal: UInt8 {
  case wrongPIN = 1
  case expired = 2
  case usedUp = 3
  case nothingShown = 4

  /// What of an error the other side is told; nil: nothing, the connection just ends.
  init?(_ error: any Error) {
    switch error {
    case CryptoError.pairing(.wrongPIN): self = .wrongPIN
    case CryptoError.pairing(.expired): self = .expired
    case CryptoError.pairing(.usedUp): self = .usedUp
    case PairingProblem.nothingShown: self = .nothingShown
    default: return nil
    }
  }
}
