internal import JackSession
internal import Logging

/// What of an event with JACK stands in the log beside its words.
extension JackSessionEvent {
  /// Its name in the log.
  var name: String {
    switch self {
    case .waiting: "jack-waiting"
    case .waitingForPlugin: "plugin-waiting"
    case .refused: "jack-refused"
    case .besidePlugin: "plugin-misfit"
    case .running: "jack-running"
    case .periodChanged: "jack-changed"
    case .pipeWireBeside: "jack-pipewire"
    case .freewheels: "jack-freewheels"
    case .freewheelEnded: "jack-freewheeled"
    case .deserted: "jack-reopened"
    case .connectionsRestored: "connections-restored"
    case .peerPortRefused: "port-refused"
    case .serverGone: "jack-gone"
    case .standsStill: "jack-stalled"
    case .hangs: "jack-hangs"
    case .answers: "jack-answers"
    case .stopped: "jack-left"
    }
  }

  /// How much it matters.
  var level: Logger.Level {
    switch self {
    case .waiting, .waitingForPlugin, .running, .periodChanged, .freewheels, .freewheelEnded,
      .connectionsRestored, .answers:
      .notice
    case .refused, .besidePlugin, .pipeWireBeside, .serverGone, .deserted, .peerPortRefused,
      .standsStill, .hangs:
      .warning
    case .stopped: .info
    }
  }

  /// What programs read of it.
  var facts: Logger.Metadata {
    switch self {
    case .waiting(let server), .refused(let server, _), .serverGone(let server),
      .freewheels(let server):
      ["server": "\(server)"]
    case .pipeWireBeside(let socket): ["socket": "\(socket)"]
    case .waitingForPlugin(let server, let path): ["server": "\(server)", "socket": "\(path)"]
    case .besidePlugin(let server, let client, let path):
      ["server": "\(server)", "client": "\(client)", "socket": "\(path)"]
    case .running(let connection), .periodChanged(let connection):
      [
        "server": "\(connection.server)", "client": "\(connection.client)",
        "frames": "\(connection.periodFrames)", "hertz": "\(connection.sampleRate)",
      ].merging(connection.implementation?.facts ?? [:]) { $1 }
    case .connectionsRestored(let count): ["count": "\(count)"]
    case .peerPortRefused(_, let port, let reason): ["port": "\(port)", "why": "\(reason)"]
    case .standsStill(let server, let seconds), .hangs(let server, let seconds),
      .answers(let server, let seconds), .freewheelEnded(let server, let seconds),
      .deserted(let server, let seconds):
      ["server": "\(server)", "seconds": "\(seconds)"]
    case .stopped: [:]
    }
  }
}

extension JackImplementation {
  fileprivate var facts: Logger.Metadata {
    ["jack": "\(kind.rawValue)", "version": "\(version)"]
  }
}
