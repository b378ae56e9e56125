internal import EventLoop
internal import Intercom
internal import JackSession
internal import Logging

/// Puts a node's events into words for the log.
///
/// Events come on threads that must not block, so they pass through a stream to a task of Swift's pool.
struct NodeLog: Sendable {
  /// What a busy log may be behind before events are dropped.
  private static let backlog = 256
  private static let waitingAdvice =
    JackImplementation.ofThisProcess.kind == .pipeWire
    ? "this process has PipeWire's libjack; start it: systemctl --user start pipewire wireplumber"
    : "start one, such as jackd -R -d alsa -d hw:CARD -r 48000 -p 128; comlink doctor says more"

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
    for await event in events { write(event, node, audio) }
  }

  private func write(_ event: IntercomEvent, _ node: Logger, _ audio: Logger) {
    switch event {
    case .peerConnected(let name, let address, let port):
      node.event(
        .peerConnected, "peer connected",
        ["peer": "\(name)", "address": "\(address)", "port": "\(port)"])
    case .peerLeft(let name, let address, let saidGoodbye):
      let why = saidGoodbye ? "said goodbye" : "fell silent"
      node.event(
        .peerLeft, "peer left",
        ["peer": "\(name)", "address": "\(address)", "why": "\(why)"])
    case .peerMoved(let name, let from, let to):
      node.event(
        .peerMoved, "peer moved",
        ["peer": "\(name)", "from": "\(from)", "address": "\(to)"])
    case .ssrcTaken(let name):
      node.event(
        .streamTaken,
        "a member claims another member's SSRC and is not heard; restart it",
        ["peer": "\(name)"])
    case .tooManyPeers(let name, let maximum):
      node.event(
        .tooManyPeers,
        "a node was refused: --max-peers is reached; raise it to admit more",
        ["peer": "\(name)", "max-peers": "\(maximum)"])
    case .audioFault(let fault): audio.event(.audioFault, "\(fault)")
    case .audio(let event): write(event, audio)
    }
  }

  private func write(_ event: JackSessionEvent, _ audio: Logger) {
    let words: Logger.Message =
      switch event {
      // JACK keeps the servers of each user apart, so it matters whose we look for.
      case .waiting: "\(event) of user \(LimitsAdvice.user) (\(Self.waitingAdvice))"
      case .waitingForPlugin:
        "\(event) (load it: jack_load comlink, or start jackd with -I comlink)"
      default: "\(event)"
      }
    audio.event(event.name, words, event.facts)
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
    node.event(
      .rightsMissing, "\(LimitsAdvice.message(denied, user: LimitsAdvice.user))")
  }
}

extension Logger {
  /// The key of an event's name, which comes first of all that stands behind the words.
  static let eventKey = "event"

  /// Logs what happened, on one line: words for people, then `event=NAME` and facts as `key=value` for programs that
  /// read the log.
  ///
  /// - Parameters:
  ///   - level: where it is not the event's own.
  ///   - facts: names, addresses and figures, also where the words have them.
  func event(
    _ name: EventName, at level: Level? = nil, _ message: Message, _ facts: Metadata = [:]
  ) {
    log(
      level: level ?? name.level, message,
      metadata: facts.merging([Self.eventKey: "\(name.rawValue)"]) { $1 })
  }
}
