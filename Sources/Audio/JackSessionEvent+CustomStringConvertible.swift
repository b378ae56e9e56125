extension JackSessionEvent: CustomStringConvertible {
  /// One line for a log.
  public var description: String {
    switch self {
    case .waiting(let server):
      "waiting for JACK server '\(server)'"
    case .waitingForPlugin(let server, let path):
      "waiting for the plugin in JACK server '\(server)', at \(path)"
    case .besidePlugin(_, let client, let path):
      "the plugin in jackd, at \(path), does not suit: \(JackSessionLoop.versionProblem) (when it suits you: sound runs until then by JACK "
        + "client '\(client)')"
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
    case .standsStill(let server, let seconds):
      "JACK server '\(server)' stands still: it is there, and has run no period for \(seconds) s; jackd is stopped, or its "
        + "sound card hangs; sound goes on by itself with the next period, and if none comes, restart jackd"
    case .hangs(let server, let seconds):
      "JACK server '\(server)' has left a call without an answer for \(seconds) s: ports and connections stay as they are; if this "
        + "lasts, restart jackd, and if sound runs, comlinkd"
    case .answers(let server, let seconds):
      "JACK server '\(server)' answers again, after \(seconds) s"
    case .stopped:
      "left JACK"
    }
  }
}
