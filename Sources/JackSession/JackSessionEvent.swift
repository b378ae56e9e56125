public import Audio

/// What happens to a JACK session, each reported once when it happens.
public enum JackSessionEvent: Hashable, Sendable {
  /// No server of that name runs; the session looks for one each half second.
  case waiting(server: String)
  /// After ``waiting(server:)``: PipeWire runs, which a program with jackd's libjack does not find.
  case pipeWireBeside(socket: String)
  /// No plugin listens at that socket; the session looks for one each half second.
  case waitingForPlugin(server: String, path: String)
  /// The server runs and does not take us; tried again each half second. Told again only when the reason changes.
  case refused(server: String, reason: String)
  /// The plugin in jackd is of another version: a client of our own, under another name,
  /// plays until jackd has one that suits.
  case besidePlugin(server: String, client: String, path: String)
  /// The first period ran on a newly opened connection.
  case running(JackConnection)
  /// The server changed its period or rate while running.
  case periodChanged(JackConnection)
  /// The server freewheels, as for an export: nothing is sent or played until that ends.
  case freewheels(server: String)
  /// It freewheels no more, after so many seconds.
  case freewheelEnded(server: String, seconds: Int)
  /// The server runs, and has run no period of ours for so many seconds: the connection is opened anew.
  case deserted(server: String, seconds: Int)
  /// That many connections our ports had before were made again.
  case connectionsRestored(count: Int)
  /// A peer's port could not be had; the peer is still in the mix.
  case peerPortRefused(slot: PeerSlot, portName: String, reason: String)
  /// A bus' port could not be had.
  case busPortRefused(portName: String, reason: String)
  /// The server died or threw us out; `waiting` follows unless another one is there at once.
  case serverGone(server: String)
  /// The server is there and runs no period, so many seconds already; sound goes on by itself with the next.
  case standsStill(server: String, seconds: Int)
  /// A call into JACK does not return, so many seconds already.
  case hangs(server: String, seconds: Int)
  /// After either of the two: all is as before; so many seconds it lasted.
  case answers(server: String, seconds: Int)
  /// The session ended by `JackSession.stop()`.
  case stopped
}

extension JackConnection {
  fileprivate var implementationWords: String { implementation.map { " (\($0))" } ?? "" }
}

extension JackSessionEvent: CustomStringConvertible {
  /// One line for a log.
  public var description: String {
    switch self {
    case .waiting(let server):
      "waiting for JACK server '\(server)'"
    case .pipeWireBeside(let socket):
      "PipeWire runs, and no jackd: restart it as pw-jack comlinkd (package pipewire-jack), "
        + "as jackd's libjack does not find PipeWire at \(socket)"
    case .waitingForPlugin(let server, let path):
      "waiting for the plugin in JACK server '\(server)', at \(path)"
    case .besidePlugin(_, let client, let path):
      "the plugin in jackd, at \(path), is unusable: \(JackSessionLoop.versionProblem) (at a convenient time; until then audio runs through JACK "
        + "client '\(client)')"
    case .refused(_, let reason):
      reason
    case .freewheels(let server):
      "JACK server '\(server)' freewheels, as for an export: nothing is sent or played until that ends"
    case .freewheelEnded(let server, let seconds):
      "JACK server '\(server)' stopped freewheeling after \(seconds) s: audio is back"
    case .deserted(let server, let seconds):
      "JACK server '\(server)' has run no period of ours for \(seconds) s: reconnecting"
    case .running(let connection):
      "JACK client '\(connection.client)' runs on server '\(connection.server)'\(connection.implementationWords): "
        + "\(connection.periodFrames) frames a period, \(connection.sampleRate) Hz"
    case .periodChanged(let connection):
      "JACK server '\(connection.server)' changed to \(connection.periodFrames) frames a period, "
        + "\(connection.sampleRate) Hz"
    case .connectionsRestored(let count):
      "\(count) port connection\(count == 1 ? "" : "s") restored"
    case .peerPortRefused(_, let portName, let reason):
      "JACK has no port '\(portName)' for the peer, which is in the mix only: \(reason)"
    case .busPortRefused(let portName, let reason): "JACK has no port '\(portName)': \(reason)"
    case .serverGone(let server):
      "JACK server '\(server)' is gone"
    case .standsStill(let server, let seconds):
      "JACK server '\(server)' has stalled: no period for \(seconds) s; it is stopped, or its "
        + "sound card hangs; audio resumes with the next period; if none comes, restart it"
    case .hangs(let server, let seconds):
      "JACK server '\(server)' has not answered a call for \(seconds) s: ports and connections stay as they are; if this "
        + "lasts, restart it, and if sound runs, comlinkd"
    case .answers(let server, let seconds):
      "JACK server '\(server)' answers again, after \(seconds) s"
    case .stopped:
      "left JACK"
    }
  }
}

/// Where a JACK session stands.
public enum JackSessionState: Hashable, Sendable {
  /// Not started, or stopped.
  case stopped
  /// No server of that name runs; the session looks for one each half second.
  case waiting(server: String)
  /// The server runs and does not take us, for the reason in words; tried again each half second.
  case refused(server: String, reason: String)
  /// Sound flows.
  case running(JackConnection)
}
