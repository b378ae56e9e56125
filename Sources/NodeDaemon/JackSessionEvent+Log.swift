internal import JackSession
internal import Logging

/// What of an event with JACK stands in the log beside its words.
extension JackSessionEvent {
  /// Its name in the log.
  var name: EventName {
    switch self {
    case .waiting: .jackWaiting
    case .waitingForPlugin: .pluginWaiting
    case .refused: .jackRefused
    case .besidePlugin: .pluginMisfit
    case .running: .jackRunning
    case .periodChanged: .jackChanged
    case .pipeWireBeside: .jackPipewire
    case .freewheels: .jackFreewheels
    case .freewheelEnded: .jackFreewheeled
    case .deserted: .jackReopened
    case .connectionsRestored: .connectionsRestored
    case .peerPortRefused, .busPortRefused: .portRefused
    case .serverGone: .jackGone
    case .standsStill: .jackStalled
    case .hangs: .jackHangs
    case .answers: .jackAnswers
    case .stopped: .jackLeft
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
    case .busPortRefused(let port, let reason), .peerPortRefused(_, let port, let reason):
      ["port": "\(port)", "why": "\(reason)"]
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
