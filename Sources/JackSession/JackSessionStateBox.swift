import Habits
internal import Synchronization

/// The session's state as other threads read it.
final class JackSessionStateBox: Sendable {
  private struct Snapshot {
    var state = JackSessionState.stopped
    var memory = PortMemory()
    /// Why we are not what we should be, though sound runs.
    var makeshift: JackSessionEvent?
    var freewheels = false
    var trouble: (kind: JackWatch.Trouble, sinceNanoseconds: Int64)?
  }

  private let stored = Mutex(Snapshot())

  var state: JackSessionState { stored.withLock { $0.state } }
  var memory: PortMemory { stored.withLock { $0.memory } }
  var makeshift: JackSessionEvent? { stored.withLock { $0.makeshift } }
  /// Whether the server freewheels.
  var freewheels: Bool { stored.withLock { $0.freewheels } }

  /// What stands in the way though there is a server, and since when.
  var trouble: (kind: JackWatch.Trouble, sinceNanoseconds: Int64)? {
    get { stored.withLock { $0.trouble } }
    set { stored.withLock { $0.trouble = newValue } }
  }

  /// Follows an event.
  func apply(_ event: JackSessionEvent) {
    switch event {
    case .waiting(let server), .waitingForPlugin(let server, _), .serverGone(let server),
      .deserted(let server, _):
      set(.waiting(server: server))
    case .refused(let server, let reason): set(.refused(server: server, reason: reason))
    case .besidePlugin, .pipeWireBeside: stored.withLock { $0.makeshift = event }
    case .freewheels, .freewheelEnded:
      stored.withLock { $0.freewheels = if case .freewheels = event { true } else { false } }
    case .running(let connection), .periodChanged(let connection): set(.running(connection))
    case .stopped: set(.stopped)
    case .connectionsRestored, .peerPortRefused, .busPortRefused, .standsStill, .hangs, .answers:
      break
    }
  }

  /// Keeps what the session remembers.
  func remember(_ memory: PortMemory) {
    stored.withLock { $0.memory = memory }
  }

  private func set(_ state: JackSessionState) {
    stored.withLock { stored in
      if case .running = state {} else { stored.freewheels = false }
      stored.state = state
      if case .running(let connection) = state,
        case .besidePlugin(_, connection.client, _)? = stored.makeshift
      {
        return
      }
      stored.makeshift = nil
    }
  }
}
