public import Audio
public import Cryptography
public import EventLoop

/// Why a node cannot run or do what it was asked.
public enum IntercomError: Error, CustomStringConvertible {
  case eventLoop(EventLoopError)
  case audio(AudioError)
  case cryptography(CryptoError)
  case unknownPeer(String, known: [String])
  case outOfRange(String, ClosedRange<Double>)

  /// What was wrong and what to do.
  public var description: String {
    switch self {
    case .eventLoop(let error): "\(error)"
    case .audio(let error): "\(error)"
    case .cryptography(let error): "\(error)"
    case .unknownPeer(let name, let known) where known.isEmpty:
      "no peer named '\(name)': no peer is known yet"
    case .unknownPeer(let name, let known):
      "no peer named '\(name)'; known: \(known.sorted().joined(separator: ", "))"
    case .outOfRange(let what, let range):
      "\(what) is out of range: \(range.lowerBound) to \(range.upperBound)"
    }
  }
}
