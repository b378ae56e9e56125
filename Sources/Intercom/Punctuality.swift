/// Whether the loop ran on time, and so the cause when audio misses its callback.
///
/// The question is what would have been: had the thread run at the moment it asked for (or, where it was still at work
/// then, at the end of that) and gone on without a break, would the sound have been there at the beat?
/// - No: `work`. It is the node's own doing, as it has more to do than there is time for, or does it in a bad order.
/// - Yes, and it came after the beat: `wakeUps`. The thread was kept from running: by other programs, the kernel,
///   the host.
/// - It came before the beat, and the callback had been there already: `callbacks`. JACK came early, in a bunch after a
///   stall, or ran periods without us.
///
/// Loop thread only.
struct Punctuality {
  /// Normal wake-up latency of a real-time thread: a longer one counts in full as the cause.
  private static let usualNanoseconds: Int64 = 100_000
  /// The same for callbacks that come before their prediction.
  private static let marginNanoseconds: Int64 = 50_000

  private var dueNanoseconds: Int64 = .max
  private var neededNanoseconds: Int64 = .max
  private var startedNanoseconds: Int64 = 0
  private var endedNanoseconds: Int64 = 0
  /// How long the thread had run in all at the end of the last wake-up.
  private var cpuNanoseconds: Int64 = 0
  /// Time of the last wake-up in which the thread did not run.
  private var heldNanoseconds: Int64 = 0
  /// When this wake-up would have been, had the thread not been kept from running.
  private var ownNanoseconds: Int64 = 0

  /// The thread runs again.
  mutating func begin(atNanoseconds woken: Int64) {
    startedNanoseconds = max(woken, endedNanoseconds)
    ownNanoseconds = woken
    guard dueNanoseconds != .max, woken > dueNanoseconds else { return }
    let isBusy = endedNanoseconds > dueNanoseconds
    if woken - max(dueNanoseconds, endedNanoseconds) > Self.usualNanoseconds {
      ownNanoseconds = max(dueNanoseconds, endedNanoseconds)
    }
    if isBusy { ownNanoseconds = max(dueNanoseconds, ownNanoseconds - heldNanoseconds) }
  }

  /// The thread is about to wait, and wants to run again at `due`, `lead` before a beat.
  ///
  /// - Parameter cpu: how long the thread has run in all.
  mutating func end(
    atNanoseconds now: Int64, cpuNanoseconds cpu: Int64, dueNanoseconds due: Int64,
    leadNanoseconds lead: Int64
  ) {
    heldNanoseconds = max(0, now - startedNanoseconds - (cpu - cpuNanoseconds))
    endedNanoseconds = now
    cpuNanoseconds = cpu
    dueNanoseconds = due
    neededNanoseconds = due == .max ? .max : due + lead
  }

  /// Why audio that is ready at `now` missed its callback.
  ///
  /// What the thread did between two wake-ups counts as work of the second.
  ///
  /// - Parameter cpu: how long the thread has run in all.
  func cause(atNanoseconds now: Int64, cpuNanoseconds cpu: Int64) -> UnderrunCause {
    guard neededNanoseconds != .max else { return .callbacks }
    let needed = neededNanoseconds - Self.marginNanoseconds
    guard now > needed else { return .callbacks }
    return ownNanoseconds + cpu - cpuNanoseconds > needed ? .work : .wakeUps
  }
}

/// Why a callback had no audio of a talking peer; see ``Punctuality``.
enum UnderrunCause: String, CaseIterable {
  case callbacks, wakeUps, work
}

/// Frames missing in callbacks, by cause.
struct UnderrunCauses {
  private var frames = InlineArray<3, Int>(repeating: 0)

  /// Counts.
  mutating func add(_ count: Int, _ cause: UnderrunCause) {
    switch cause {
    case .callbacks: frames[0] += count
    case .wakeUps: frames[1] += count
    case .work: frames[2] += count
    }
  }

  /// Periods by the cause's name; only causes that happened.
  func periods(ofFrames periodFrames: Int) -> [String: Int] {
    var result: [String: Int] = [:]
    for (index, cause) in UnderrunCause.allCases.enumerated() where frames[index] > 0 {
      result[cause.rawValue] = max(1, frames[index] / max(periodFrames, 1))
    }
    return result
  }
}
