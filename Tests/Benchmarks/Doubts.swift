import Synchronization
import TestRig

/// Reasons why a run fails: figures that do not count, as the latency of speech that was not understood,
/// or miss their limit.
final class Doubts: Sendable {
  private let reasons = Mutex<[String]>([])

  /// All reasons so far that concern Comlink, in order; the run fails by them.
  var all: [String] { reasons.withLock { $0 } }

  /// Prints and notes a reason if it holds.
  func check(_ reason: String, _ isTrue: Bool) {
    guard isTrue else { return }
    Console.line("DOUBT: \(reason)")
    reasons.withLock { $0.append(reason) }
  }

  /// Prints a doubt when too little of the speech was understood, and notes it if it is `ours`.
  func check(_ name: String, understoodShare: Double, ours: Bool = true) {
    guard understoodShare < Hearing.neededShare else { return }
    let percent = Figures.fixed(understoodShare * 100, 0)
    let needed = Figures.fixed(Hearing.neededShare * 100, 0)
    let reason = "\(name) does not count: \(percent) % of the speech understood, \(needed) needed"
    Console.line("DOUBT: \(reason)")
    if ours { reasons.withLock { $0.append(reason) } }
  }
}
