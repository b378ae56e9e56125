public import Audio
public import Cryptography
public import EventLoop
public import JackSession

/// What a node tells its log; rare, never per packet.
///
/// What has to be put into words first is a value here.
public enum IntercomEvent: Sendable {
  /// A peer can be heard now.
  case peerConnected(name: String, address: SocketAddress, port: PeerPort)
  /// Neither RTP nor RTCP for some seconds, or it said goodbye.
  case peerLeft(name: String, address: SocketAddress, saidGoodbye: Bool)
  /// A member's sound comes from another of its addresses now, and ours goes there; nothing else changes.
  case peerMoved(name: String, from: SocketAddress, to: SocketAddress)
  /// A member's key names a stream that is another member's, or ours: it is not heard.
  case ssrcTaken(name: String)
  /// No place for one more member; counted.
  case tooManyPeers(address: String, maximum: Int)
  /// JACK came, went or changed.
  case audio(JackSessionEvent)
  /// Something cannot work as configured at JACK's present settings.
  case audioFault(String)
}

/// The JACK port of a peer, as `jack_lsp` shows it; the text is made where it is read.
public struct PeerPort: Sendable, Hashable, CustomStringConvertible {
  /// The JACK client that has it.
  public var client: String
  /// What the peer is called.
  public var peer: String

  /// A client's port of a peer.
  public init(client: String, peer: String) {
    self.client = client
    self.peer = peer
  }

  /// Such as `comlink:peer_stage`.
  public var description: String { "\(client):peer_\(peer)" }
}

/// Why a node cannot run or do what it was asked.
public enum IntercomError: Error, CustomStringConvertible {
  case eventLoop(EventLoopError)
  case audio(AudioError)
  case cryptography(CryptoError)
  case unknownPeer(String, known: [String])
  case outOfRange(String, ClosedRange<Double>)
  case refused(String)

  /// What was wrong and what to do.
  public var description: String {
    switch self {
    case .eventLoop(let error): "\(error)"
    case .audio(let error): "\(error)"
    case .cryptography(let error): "\(error)"
    case .unknownPeer(let name, let known) where known.isEmpty:
      "no peer named '\(name)'; there are no peers yet"
    case .unknownPeer(let name, let known):
      "no peer named '\(name)'; known: \(known.sorted().joined(separator: ", "))"
    case .outOfRange(let what, let range):
      "\(what) is out of range: \(range.lowerBound) to \(range.upperBound)"
    case .refused(let words): words
    }
  }
}
