public import Audio

/// What a node tells its log; rare, never per packet.
public enum IntercomEvent: Sendable {
  /// A peer can be heard now.
  case peerConnected(name: String, address: String, port: String)
  /// Neither RTP nor RTCP for some seconds, or its BYE came.
  case peerLeft(name: String, address: String, saidGoodbye: Bool)
  /// A peer's process came back as a new one.
  case peerRestarted(name: String, address: String)
  /// A named address leads back to this node.
  case peerIsOurselves(address: String)
  /// No place for one more; counted, told once a minute at most.
  case tooManyPeers(address: String, maximum: Int)
  /// JACK came, went or changed.
  case audio(JackSessionEvent)
  /// Something cannot work as configured at JACK's present settings.
  case audioFault(String)
}
