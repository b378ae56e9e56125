internal import Synchronization

/// The session's state as other threads read it.
final class JackSessionStateBox: Sendable {
  private struct Snapshot {
    var state = JackSessionState.stopped
    var connections: Set<PortConnection> = []
  }

  private let stored = Mutex(Snapshot())

  var state: JackSessionState { stored.withLock { $0.state } }
  var connections: Set<PortConnection> { stored.withLock { $0.connections } }

  /// Follows an event.
  func apply(_ event: JackSessionEvent) {
    switch event {
    case .waiting(let server), .waitingForPlugin(let server, _), .serverGone(let server):
      set(.waiting(server: server))
    case .refused(let server, let reason): set(.refused(server: server, reason: reason))
    case .running(let connection), .periodChanged(let connection): set(.running(connection))
    case .stopped: set(.stopped)
    case .connectionsRestored, .peerPortRefused: break
    }
  }

  /// Keeps what the session remembers.
  func remember(_ connections: Set<PortConnection>) {
    stored.withLock { $0.connections = connections }
  }

  private func set(_ state: JackSessionState) {
    stored.withLock { $0.state = state }
  }
}
