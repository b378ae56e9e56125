internal import JackSession

/// What systemd is to be told of the daemon's life, and when (sd_notify(3)).
///
/// *starting* → sound runs → *ready* → *ending*; a JACK server that goes changes the status line only.
///
/// systemd watches a service from `READY=1` on (systemd.service(5)). Before, while the daemon waits for a JACK server
/// as long as it takes, the same sign of life extends the time that the start may take: a loop that is stuck meets its
/// end in both phases, and a missing sound card in neither.
struct ServiceLife {
  private enum Phase { case starting, ready, ending }

  /// How long systemd waits for a sign of life.
  private let patienceMicroseconds: UInt64
  private let isWatched: Bool
  private let user: String
  private var phase = Phase.starting
  private var turns: UInt64 = 0

  /// A life that has begun.
  ///
  /// - Parameters:
  ///   - watchdogMicroseconds: as systemd wants it; nil: only the start is watched.
  ///   - user: whose JACK server it waits for; JACK keeps the servers of each user apart.
  init(watchdogMicroseconds: UInt64?, user: String) {
    patienceMicroseconds = watchdogMicroseconds ?? 10_000_000
    isWatched = watchdogMicroseconds != nil
    self.user = user
  }

  /// How often to look at the media loop: two looks may come too late and no harm is done.
  var lookMicroseconds: UInt64 { max(1, patienceMicroseconds / 4) }

  /// What to tell of an event; nil: nothing.
  mutating func audio(_ event: JackSessionEvent) -> String? {
    guard phase != .ending else { return nil }
    switch event {
    case .waiting: return Self.status("\(event) of user \(user)")
    case .waitingForPlugin, .refused, .serverGone, .periodChanged, .standsStill, .hangs, .answers,
      .pipeWireBeside, .freewheels, .freewheelEnded, .deserted:
      return Self.status("\(event)")
    case .running:
      defer { phase = .ready }
      return (phase == .starting ? "READY=1\n" : "") + Self.status("\(event)")
    case .connectionsRestored, .peerPortRefused, .busPortRefused, .besidePlugin, .stopped:
      return nil
    }
  }

  /// What to tell after a look at the media loop; nil: it did not turn since the last one, or sound is lost,
  /// or nobody asks.
  ///
  /// - Parameters:
  ///   - turns: how often the loop woke so far.
  ///   - isSoundLost: whether only a new process can have sound, or ports, again (``Intercom/Intercom/isSoundLost``). A
  ///     JACK server that stands still is no such case: the next process would wait for the same server,
  ///     and the others would be left for nothing.
  mutating func look(turns: UInt64, isSoundLost: Bool = false) -> String? {
    guard turns != self.turns, !isSoundLost else { return nil }
    self.turns = turns
    switch phase {
    case .starting: return "EXTEND_TIMEOUT_USEC=\(patienceMicroseconds)"
    case .ready: return isWatched ? "WATCHDOG=1" : nil
    case .ending: return nil
    }
  }

  /// What to tell when the end begins; after it there is nothing more to tell.
  mutating func end() -> String {
    phase = .ending
    return "STOPPING=1\n" + Self.status("shutting down")
  }

  /// One line, whatever JACK says.
  private static func status(_ words: String) -> String {
    "STATUS=" + words.split(whereSeparator: \.isNewline).joined(separator: " ")
  }
}

/// A moment after which nothing is waited for any more.
struct Deadline: Sendable {
  private let moment: ContinuousClock.Instant

  init(after duration: Duration) { moment = .now + duration }

  /// Does something and waits for its end, but no longer than until the deadline; then it goes on by itself.
  ///
  /// - Returns: whether it came to its end.
  func wait(for work: @escaping @Sendable () async -> Void) async -> Bool {
    let (outcomes, outcome) = AsyncStream.makeStream(of: Bool.self)
    Task {
      await work()
      outcome.yield(true)
    }
    let alarm = Task {
      try? await Task.sleep(until: moment, clock: .continuous)
      outcome.yield(false)
    }
    defer { alarm.cancel() }
    for await isDone in outcomes { return isDone }
    return false
  }
}
