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

  private let events: AsyncStream<IntercomEvent>
  private let continuation: AsyncStream<IntercomEvent>.Continuation

  init() {
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
    for await event in events { Self.write(event, node, audio) }
  }

  private static func write(_ event: IntercomEvent, _ node: Logger, _ audio: Logger) {
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

  private static func write(_ event: JackSessionEvent, _ audio: Logger) {
    switch event {
    case .waiting, .running, .periodChanged, .connectionsRestored: audio.notice("\(event)")
    case .refused, .serverGone, .peerPortRefused: audio.warning("\(event)")
    case .stopped: audio.info("\(event)")
    }
  }

  /// Writes what became of a JACK server that we started.
  static func write(_ event: JackServerEvent, _ audio: Logger) {
    switch event {
    case .started, .stopped: audio.notice("\(event)")
    case .notInstalled, .ended, .failed: audio.error("\(event)")
    }
  }

  /// Warns of a missing right, with its cure.
  static func write(_ warning: EventLoopWarning, _ node: Logger) {
    let denied: LimitsAdvice.Denied =
      switch warning {
      case .scheduling(let priority, _): .realtimeScheduling(priority: priority)
      case .memoryLock: .memoryLock
      }
    node.warning("\(LimitsAdvice.message(denied, user: LimitsAdvice.user))")
  }
}
