/// Chooses the backend: avahi-daemon while it runs, otherwise the built-in responder.
///
/// Sans-I/O, in virtual time. Two machines. The *client*, which watches for avahi-daemon:
///
///     off        -> startClient when due; refused (no D-Bus): off, due again after 5, 10, 20, then 30 s
///     watching   the daemon does not run; the client hears when it comes
///     registering, running   as the daemon says
///     failed     (the daemon is gone) -> stopClient, off, due at once
///
/// And what is *in use*:
///
///     none       client running             -> use(daemon)
///                ownDue is over             -> startOwn; refused: ownDue 2, 4, ... 60 s later, and a problem is told
///     inProcess  client running             -> stopOwn, use(daemon)
///                own responder failed       -> stopOwn, none, ownDue as above
///     daemon     client failed              -> none; ownDue 3 s later:
///     a daemon that is only restarted has come back by then
///
/// ownDue is at once at the start, and 3 s later when a daemon is seen that is still registering.
struct BackendChoice {
  enum Action: Equatable {
    case startClient
    case stopClient
    case startOwn
    case stopOwn
    /// The one in use from now on.
    case use(DiscoveryBackend)
    case problem(String)
  }

  enum DaemonState {
    case absent
    case registering
    case running
    case failed
  }

  private enum Client: Equatable {
    case off(dueNanoseconds: Int64)
    case watching
    case registering
    case running
  }

  static let patienceNanoseconds: Int64 = 3_000_000_000
  private static let second: Int64 = 1_000_000_000

  private(set) var inUse = DiscoveryBackend.none
  private var client: Client
  private var clientDelaySeconds: Int64 = 5
  private var ownDueNanoseconds: Int64
  private var ownDelaySeconds: Int64 = 2
  private var actions: [Action] = []

  init(nowNanoseconds now: Int64) {
    client = .off(dueNanoseconds: now)
    ownDueNanoseconds = now
  }

  /// What is to be done, in order; then forgotten.
  mutating func takeActions() -> [Action] {
    defer { actions.removeAll() }
    return actions
  }

  /// Does what is due.
  mutating func advance(nowNanoseconds now: Int64) {
    if case .off(let due) = client, due <= now {
      client = .watching
      actions.append(.startClient)
      // What the client says may spare us the responder.
      return
    }
    guard inUse == .none, client != .running, ownDueNanoseconds <= now else { return }
    ownDueNanoseconds = .max
    actions.append(.startOwn)
  }

  /// When to call ``advance(nowNanoseconds:)`` next.
  var nextDeadlineNanoseconds: Int64? {
    var deadline: Int64?
    if case .off(let due) = client { deadline = due }
    if inUse == .none, client != .running, ownDueNanoseconds != .max {
      deadline = min(deadline ?? ownDueNanoseconds, ownDueNanoseconds)
    }
    return deadline
  }

  /// ``Action/startClient`` did not work.
  mutating func clientRefused(nowNanoseconds now: Int64) {
    client = .off(dueNanoseconds: now + clientDelaySeconds * Self.second)
    clientDelaySeconds = min(clientDelaySeconds * 2, 30)
  }

  /// The client reports the state of avahi-daemon.
  mutating func daemonIs(_ state: DaemonState, nowNanoseconds now: Int64) {
    switch state {
    case .absent:
      client = .watching
    case .registering:
      if client != .registering, inUse == .none, ownDueNanoseconds <= now {
        ownDueNanoseconds = now + Self.patienceNanoseconds
      }
      // One in use claims another host name or address: that interrupts nothing.
      client = .registering
    case .running:
      client = .running
      clientDelaySeconds = 5
      guard inUse != .daemon else { return }
      if inUse == .inProcess { actions.append(.stopOwn) }
      use(.daemon)
    case .failed:
      client = .off(dueNanoseconds: now)
      actions.append(.stopClient)
      guard inUse == .daemon else { return }
      ownDueNanoseconds = now + Self.patienceNanoseconds
      use(.none)
    }
  }

  /// ``Action/startOwn`` worked.
  mutating func ownStarted() {
    ownDelaySeconds = 2
    use(.inProcess)
  }

  /// ``Action/startOwn`` did not work, or the responder failed.
  mutating func ownFailed(_ reason: String, nowNanoseconds now: Int64) {
    if inUse == .inProcess {
      actions.append(.stopOwn)
      use(.none)
    }
    actions.append(
      .problem(
        "no mDNS on this machine: avahi-daemon does not run and the built-in responder fails (\(reason)); "
          + "next try in \(ownDelaySeconds) s"))
    ownDueNanoseconds = now + ownDelaySeconds * Self.second
    ownDelaySeconds = min(ownDelaySeconds * 2, 60)
  }

  private mutating func use(_ backend: DiscoveryBackend) {
    inUse = backend
    actions.append(.use(backend))
  }
}
