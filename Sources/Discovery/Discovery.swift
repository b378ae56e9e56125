public import Cryptography
internal import Glibc
public import Mesh
internal import Synchronization
internal import System

/// Discovery of nodes on the local network: DNS-SD (RFC 6763) of `_comlink._udp` by multicast DNS.
///
/// It speaks through avahi-daemon while that runs, else by a responder in this process, and changes between them by
/// itself (`BackendChoice` says when). All interfaces that can multicast take part, with IPv4 and IPv6, as they come
/// and go; of loopback and point-to-point interfaces Avahi uses none for other hosts. Nothing it tells is proven.
///
/// All of it happens on a thread of its own. Any thread may call; `start` and `stop` not from within `events`.
public final class Discovery: Sendable {
  private struct Running {
    let thread: DiscoveryThread
    let mailbox: DiscoveryMailbox
  }

  private struct State {
    var service: ServiceDescription
    var running: Running?
  }

  /// How long `stop` waits; avahi-daemon answers within milliseconds unless it hangs.
  private static let patienceNanoseconds: Int64 = 700_000_000

  private let state: Mutex<State>
  private let events: @Sendable (DiscoveryEvent) -> Void

  /// Makes one that does nothing yet.
  ///
  /// - Parameter events: called on Discovery's own thread; must not block.
  public init(
    service: ServiceDescription, events: @escaping @Sendable (DiscoveryEvent) -> Void
  ) {
    state = Mutex(State(service: service))
    self.events = events
  }

  deinit { stop() }

  /// Begins to publish and to browse.
  ///
  /// Later failures are reported as problems and tried again.
  ///
  /// - Throws: `DiscoveryError.running`; `.system` when there are no threads.
  public func start() throws(DiscoveryError) {
    let events = events
    try state.withLock { state throws(DiscoveryError) in
      guard state.running == nil else { throw .running }
      let service = state.service
      let mailbox = DiscoveryMailbox()
      let thread = try DiscoveryThread {
        DiscoveryRuns(mailbox: mailbox, tell: events).run(service)
        mailbox.finish()
      }
      state.running = Running(thread: thread, mailbox: mailbox)
    }
  }

  /// Announces a changed name, port or groups at once.
  ///
  /// Another port is a goodbye and a new announcement. The node stays the one of the start.
  public func update(_ service: ServiceDescription) {
    state.withLock {
      var service = service
      service.node = $0.service.node
      $0.service = service
      $0.running?.mailbox.leave(service)
    }
  }

  /// Resolves a node again, and reports changes.
  public func rediscover(_ node: NodeID) {
    state.withLock { $0.running?.mailbox.leave(node) }
  }

  /// Says goodbye and ends, usually within milliseconds.
  ///
  /// Events end with it. It may be started again. After 0.7 s in vain (avahi-daemon hangs) the thread is left to end by
  /// itself, silently or with a last event.
  public func stop() {
    guard let running = state.withLock({ $0.running.take() }) else { return }
    running.mailbox.stop()
    guard !running.thread.isCurrent else { return running.thread.detach() }
    let deadline = monotonicNanoseconds() + Self.patienceNanoseconds
    while !running.mailbox.isDone, monotonicNanoseconds() < deadline { usleep(2000) }
    running.mailbox.isDone ? running.thread.join() : running.thread.detach()
  }

  /// The backend in use.
  public var backend: DiscoveryBackend {
    state.withLock { $0.running?.mailbox.backend ?? .none }
  }

  /// Its size and its refusals.
  public var counters: DiscoveryCounters {
    state.withLock { $0.running?.mailbox.counters ?? DiscoveryCounters() }
  }
}

/// A backend of a ``Discovery``.
public enum DiscoveryBackend: String, Hashable, Sendable {
  /// None (yet): nothing is published or found.
  case none
  /// The system's avahi-daemon.
  case daemon = "avahi-daemon"
  /// A responder in this process.
  case inProcess = "in-process"
}

/// Why a ``Discovery`` does not start.
public enum DiscoveryError: Error, Hashable, Sendable {
  /// It runs already.
  case running
  /// The system refuses: what was tried, and its error number.
  case system(operation: String, code: Int32)
}

extension DiscoveryError: CustomStringConvertible {
  /// A line for the log.
  public var description: String {
    switch self {
    case .running: "discovery is already running"
    case .system(let operation, let code):
      "cannot \(operation): \(errorWords(code))"
    }
  }
}

/// An event of a ``Discovery``.
public enum DiscoveryEvent: Sendable {
  /// A node is there, or what is known of it changed; everything is as the node says, without proof.
  ///
  /// Addresses: 1 to 8, each once, those for one link only last. The name has at most 63 octets, no control characters,
  /// and is never empty.
  case found(Announcement, name: String, softwareVersion: String)
  /// The node is gone.
  case lost(NodeID)
  /// The backend changed; nodes stay found if the new one finds them within seconds.
  case backendChanged(DiscoveryBackend)
  /// Something does not work and is tried again by itself: a line for the log.
  case problem(String)
}

/// Counters of a ``Discovery``: refusals by reason since it started, and its size.
public struct DiscoveryCounters: Hashable, Sendable {
  /// Nodes known now, at most ``ServiceTable/Limits/nodes``.
  public var nodes = 0
  /// Instances known now: a node has one for each interface and protocol.
  public var instances = 0
  /// Resolutions begun.
  public var resolutions = 0
  /// Resolutions without an answer.
  public var unresolved = 0
  /// TXT data that could not be read, by reason.
  public var malformedTexts = 0
  /// See ``malformedTexts``: longer than any node's.
  public var oversizedTexts = 0
  /// See ``malformedTexts``: without the ID of a node.
  public var namelessTexts = 0
  /// Invalid ports and addresses.
  public var unusableAddresses = 0
  /// Instances not taken, or put out again, as there are too many.
  public var crowdedInstances = 0
  /// Nodes not taken, or put out again, as there are too many.
  public var crowdedNodes = 0
  /// Instances put out as their node has too many.
  public var crowdedAddresses = 0

  /// All zero.
  public init() {}
}
