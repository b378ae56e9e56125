internal import Audio
internal import EventLoop
internal import Intercom
internal import Logging

/// Puts a node's events into words for the log.
///
/// Events come on threads that must not block, so they pass through a stream to a task of Swift's pool.
struct NodeLog: Sendable {
  /// What a busy log may be behind before events are dropped.
  private static let backlog = 256

  private let startsJack: Bool
  private let events: AsyncStream<IntercomEvent>
  private let continuation: AsyncStream<IntercomEvent>.Continuation

  /// A log of a node beside a JACK server that comlinkd starts, or not.
  init(startsJack: Bool) {
    self.startsJack = startsJack
    (events, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(Self.backlog))
  }

  /// Takes an event.
  ///
  /// Any thread; does not block.
  func add(_ event: IntercomEvent) { continuation.yield(event) }

  /// Ends ``write(to:audio:)`` once everything before is written.
  func finish() { continuation.finish() }

  /// Writes events until ``finish()``.
  func write(to node: Logger, audio: Logger) async {
    for await event in events { write(event, node, audio) }
  }

  private func write(_ event: IntercomEvent, _ node: Logger, _ audio: Logger) {
    switch event {
    case .peerConnected(let name, let address, let port):
      node.notice(
        "peer connected", metadata: ["peer": "\(name)", "address": "\(address)", "port": "\(port)"])
    case .peerLeft(let name, let address, let saidGoodbye):
      let why = saidGoodbye ? "said goodbye" : "fell silent"
      node.notice(
        "peer left", metadata: ["peer": "\(name)", "address": "\(address)", "why": "\(why)"])
    case .peerRestarted(let name, let address):
      node.notice("peer restarted", metadata: ["peer": "\(name)", "address": "\(address)"])
    case .peerMoved(let name, let from, let to):
      node.notice(
        "peer moved", metadata: ["peer": "\(name)", "from": "\(from)", "address": "\(to)"])
    case .ssrcTaken(let name):
      node.warning(
        "a member's key names a stream that is another's; it is not heard until it starts anew",
        metadata: ["peer": "\(name)"])
    case .peerIsOurselves(let address):
      node.warning(
        "this peer is this node itself; leave it out", metadata: ["address": "\(address)"])
    case .tooManyPeers(let address, let maximum):
      node.warning(
        "a node asks for a place and there is none; raise --max-peers if it is wanted",
        metadata: ["address": "\(address)", "max-peers": "\(maximum)"])
    case .audioFault(let words): audio.error("\(words)")
    case .audio(let event): write(event, audio)
    }
  }

  private func write(_ event: JackSessionEvent, _ audio: Logger) {
    switch event {
    case .waiting:
      // JACK keeps the servers of each user apart, so it matters whose we look for.
      audio.notice("\(event) of user \(LimitsAdvice.user) (\(waitingAdvice))")
    case .waitingForPlugin:
      audio.notice("\(event) (load it: jack_load comlink, or start jackd with -I comlink)")
    case .running, .periodChanged, .connectionsRestored: audio.notice("\(event)")
    case .refused, .serverGone, .peerPortRefused: audio.warning("\(event)")
    case .stopped: audio.info("\(event)")
    }
  }

  private var waitingAdvice: String {
    startsJack ? "start it" : "start it, or let comlinkd do so: --start-jack"
  }

  /// Writes what became of a JACK server that we started.
  static func write(_ event: JackServerEvent, _ audio: Logger) {
    switch event {
    case .started, .stopped: audio.notice("\(event)")
    case .notInstalled, .ended, .failed: audio.error("\(event)")
    }
  }

  /// Warns of missing rights, with their cure; says nothing where none is missing.
  static func write(_ warnings: [EventLoopWarning], _ node: Logger) {
    guard !warnings.isEmpty else { return }
    let denied = warnings.map { warning -> LimitsAdvice.Denied in
      switch warning {
      case .scheduling(let priority, _): .realtimeScheduling(priority: priority)
      case .memoryLock: .memoryLock
      }
    }
    node.warning("\(LimitsAdvice.message(denied, user: LimitsAdvice.user))")
  }
}
