internal import Cryptography
internal import Store

/// Why two nodes could not be paired.
enum PairingProblem: Error, CustomStringConvertible {
  /// Nobody of that name is announced, and it is no address.
  case notFound(String)
  /// Several nodes are called so, in words.
  case ambiguous(String)
  /// The node does not answer.
  case unreachable(String, reason: String)
  /// The connection ended before the pairing did.
  case brokenOff(String)
  /// The group that the other node gives cannot be taken.
  case notJoined(StoreError)
  /// The other node says why.
  case refused(PairingRefusal)
  /// The address leads back to this node.
  case ourselves
  /// No PIN is shown here.
  case nothingShown
  /// The node is in several groups.
  case whichGroup([String])
  /// It is in none of that name.
  case noSuchGroup(String)
  /// The PIN is wrong, old or used up, or there are no random numbers.
  case crypto(CryptoError)

  /// The problem in words, with what to do.
  var description: String {
    switch self {
    case .notFound(let peer):
      "no node named \(peer) found; give its address, such as 192.168.1.20:5004"
    case .ambiguous(let words): words
    case .unreachable(let peer, let reason): "cannot reach \(peer): \(reason)"
    case .brokenOff(let reason):
      "the other node ended the pairing (\(reason)); show a new PIN there and try again"
    case .notJoined(let error): "the other node's group cannot be joined: \(error)"
    case .refused(.wrongPIN): "wrong PIN; it allows five tries in all"
    case .refused(.expired): "the PIN is older than two minutes; show a new one"
    case .refused(.usedUp):
      "the PIN is used up: five wrong tries, or a pairing already made; show a new one"
    case .refused(.nothingShown): "that node shows no PIN; run comlink pair --show there"
    case .ourselves: "that address is this node itself; give the other node's"
    case .nothingShown: "this node shows no PIN; run comlink pair --show"
    case .whichGroup(let names):
      "this node is in several groups; choose the one to share with --group: "
        + names.joined(separator: ", ")
    case .noSuchGroup(let name): "this node is not in group \"\(name)\""
    case .crypto(let error): "\(error)"
    }
  }
}

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
