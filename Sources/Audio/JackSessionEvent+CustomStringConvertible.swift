extension JackSessionEvent: CustomStringConvertible {
  /// One line for a log.
  public var description: String {
    switch self {
    case .waiting(let server):
      "waiting for JACK server '\(server)'"
    case .waitingForPlugin(let server, let path):
      "waiting for the plugin in JACK server '\(server)', at \(path)"
    case .refused(_, let reason):
      reason
    case .running(let connection):
      "JACK client '\(connection.client)' runs on server '\(connection.server)': "
        + "\(connection.periodFrames) frames a period, \(connection.sampleRate) Hz"
    case .periodChanged(let connection):
      "JACK server '\(connection.server)' changed to \(connection.periodFrames) frames a period, "
        + "\(connection.sampleRate) Hz"
    case .connectionsRestored(let count):
      "\(count) port connection\(count == 1 ? "" : "s") restored"
    case .peerPortRefused(_, let portName, let reason):
      "JACK has no port '\(portName)' for the peer, who is heard in the mix only: \(reason)"
    case .serverGone(let server):
      "JACK server '\(server)' is gone"
    case .stopped:
      "left JACK"
    }
  }
}
