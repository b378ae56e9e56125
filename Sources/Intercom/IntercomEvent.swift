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
  case tooManyPeers(name: String, maximum: Int)
  /// JACK came, went or changed.
  case audio(JackSessionEvent)
  /// Something cannot work as configured at JACK's present settings.
  case audioFault(AudioFault)
}

/// What cannot work as configured at JACK's present settings; put into words where it is read.
public enum AudioFault: Sendable, CustomStringConvertible {
  /// What is captured cannot be sent.
  case cannotResample(sampleRate: Int, AudioError)
  /// A member cannot be heard.
  case cannotDecode(address: SocketAddress?, AudioError)
  /// JACK does not answer a request for a port.
  case portIsLate(PeerPort)
  /// Nobody can be placed around the head, in words.
  case cannotPlace(String)
  /// JACK refuses a port.
  case portRefused(JackSessionEvent)

  /// What is wrong, and where something can be done, what.
  public var description: String {
    switch self {
    case .cannotResample(let sampleRate, let error):
      "cannot resample from \(sampleRate) Hz: \(error)"
    case .cannotDecode(let address, let error):
      "cannot decode for \(address.map { "\($0)" } ?? "a guest"): \(error)"
    case .portIsLate(let port):
      "JACK does not create port '\(port)', so \(port.peer) is in the mix only; "
        + "if this lasts, restart the JACK server"
    case .cannotPlace(let words): words
    case .portRefused(let event):
      "\(event); if the server has run out of ports, start jackd with a larger --port-max"
    }
  }
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
  /// No input or bus of that name.
  case unknownPatch(String, String, known: [String])
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
    case .unknownPatch(let kind, let name, let known) where known.isEmpty:
      "no \(kind) named '\(name)'; there is none: set \(kind) in the configuration, then restart"
    case .unknownPatch(let kind, let name, let known):
      "no \(kind) named '\(name)'; known: \(known.joined(separator: ", "))"
    case .outOfRange(let what, let range):
      "\(what) is out of range: \(range.lowerBound) to \(range.upperBound)"
    case .refused(let words): words
    }
  }
}
