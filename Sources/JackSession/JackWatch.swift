internal import Synchronization
internal import System

/// Finds out that a JACK server stands still, and that a call into JACK does not return.
///
/// Looked at by another thread than the session's, which may be the one that hangs. Only time between looks that come
/// in time counts: who was suspended itself has no proof against others.
///
/// - *standing still*: we are its client, and no period ran for `stillNanoseconds`. jackd is stopped (SIGSTOP, a
///   debugger), or waits for a driver that hangs. Nothing is to be done from here: the next period ends it.
/// - *hanging*: the session's thread is inside one call for `hangNanoseconds`,
///   while periods run or before there is a client.
///
/// A pure value: facts and times in, changes of trouble out.
struct JackWatch {
  /// Longer than a server takes to change its period, and a busy machine to catch its breath.
  static let stillNanoseconds: Int64 = 2_000_000_000
  /// Longer than the plugin in jackd is asked (5 s).
  static let hangNanoseconds: Int64 = 10_000_000_000
  /// When nobody believes any more that the call will return.
  static let lostNanoseconds: Int64 = 30_000_000_000
  /// A look after more than that was late itself.
  private static let stepNanoseconds: Int64 = 200_000_000

  /// What is seen at a look.
  struct Facts {
    var nowNanoseconds: Int64
    var state: EngineState
    /// Periods so far.
    var periods: UInt64
    /// Since when the session's thread is inside the calls that it is in; nil: it is in none.
    var callNanoseconds: Int64?
    /// As long as it takes, however many periods it runs.
    var isFreewheeling = false
  }

  enum Trouble { case standsStill, hangs }

  /// What is wrong now, and since when.
  private(set) var trouble: (kind: Trouble, sinceNanoseconds: Int64)?
  /// Whether only a new process can be rid of what hangs: periods run, or the server is gone,
  /// and the call does not return.
  ///
  /// Not so where the server itself stands still: another process would hang in the same server.
  private(set) var isLost = false

  private var last: Facts?
  private var stillNanoseconds: Int64 = 0
  private var hangNanoseconds: Int64 = 0

  /// Takes in how things are.
  ///
  /// - Returns: whether the trouble is another than before.
  mutating func look(_ facts: Facts) -> Bool {
    defer { last = facts }
    let step = min(facts.nowNanoseconds - (last?.nowNanoseconds ?? .max / 2), Self.stepNanoseconds)
    let isStill =
      facts.state == .running && facts.periods == last?.periods && !facts.isFreewheeling
    stillNanoseconds = isStill ? stillNanoseconds + max(0, step) : 0
    let isInside = facts.callNanoseconds != nil && facts.callNanoseconds == last?.callNanoseconds
    // While the server stands still no call can return, and that is the server's fault.
    hangNanoseconds = isInside ? hangNanoseconds + (isStill ? 0 : max(0, step)) : 0
    isLost =
      hangNanoseconds >= Self.lostNanoseconds && facts.state != .closed
      && stillNanoseconds < Self.stillNanoseconds
    let before = trouble?.kind
    let now = kind
    guard before != now else { return false }
    let lasted = now == .standsStill ? stillNanoseconds : hangNanoseconds
    trouble = now.map { ($0, facts.nowNanoseconds - lasted) }
    return true
  }

  private var kind: Trouble? {
    if stillNanoseconds >= Self.stillNanoseconds { return .standsStill }
    return hangNanoseconds >= Self.hangNanoseconds ? .hangs : nil
  }
}

/// Whether the session's thread is inside JACK, as other threads read it.
final class JackCalls: Sendable {
  private let since = Atomic<Int64>(0)
  private let lost = Atomic<Bool>(false)

  /// Since when it is inside; nil: it is not.
  var sinceNanoseconds: Int64? {
    let nanoseconds = since.load(ordering: .relaxed)
    return nanoseconds == 0 ? nil : nanoseconds
  }

  /// Whether nobody expects it to come out any more; told by whoever watches.
  var areLost: Bool {
    get { lost.load(ordering: .relaxed) }
    set { lost.store(newValue, ordering: .relaxed) }
  }

  /// Takes in that the thread goes in, or is out again; the session's thread.
  func tell(isInside: Bool) {
    since.store(isInside ? monotonicNanoseconds() : 0, ordering: .relaxed)
  }
}
