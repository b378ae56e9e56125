/// Whether the loop ran when it had asked to, and so whose doing it is when sound comes too late for its callback.
///
/// The question is what would have been: had the thread run at the moment it asked for (or, where it was still at work
/// then, at the end of that) and gone on without a break, would the sound have been there at the beat?
/// - No: `work`. It is the node's own doing, as it has more to do than there is time for, or does it in a bad order.
/// - Yes, and it came after the beat: `wakeUps`. The thread was kept from running: by other programs, the kernel, the host.
/// - It came before the beat, and the callback had been there already: `callbacks`. JACK came early, in a bunch after a
///   stall, or ran periods without us.
///
/// Loop thread only.
struct Punctuality {
  /// What any wake-up of a real-time thread may take: up to that it is no excuse, and beyond it all of it is.
  private static let usualNanoseconds: Int64 = 100_000
  /// The same for callbacks that come before their prediction.
  private static let marginNanoseconds: Int64 = 50_000

  private var dueNanoseconds: Int64 = .max
  private var neededNanoseconds: Int64 = .max
  private var endedNanoseconds: Int64 = 0
  private var heldBeforeNanoseconds: Int64 = 0
  /// Time that this wake-up lost before it began, by no doing of the loop's.
  private var lostNanoseconds: Int64 = 0

  /// The thread runs again.
  mutating func begin(atNanoseconds woken: Int64) {
    guard dueNanoseconds != .max, woken > dueNanoseconds else {
      lostNanoseconds = 0
      return
    }
    let isBusy = endedNanoseconds > dueNanoseconds
    let late = woken - max(dueNanoseconds, endedNanoseconds)
    lostNanoseconds =
      (late > Self.usualNanoseconds ? late : 0) + (isBusy ? heldBeforeNanoseconds : 0)
  }

  /// The thread is about to wait, and wants to run again at `due`, `lead` before a beat.
  mutating func end(
    atNanoseconds now: Int64, dueNanoseconds due: Int64, leadNanoseconds lead: Int64,
    heldNanoseconds: Int64
  ) {
    endedNanoseconds = now
    dueNanoseconds = due
    neededNanoseconds = due == .max ? .max : due + lead
    heldBeforeNanoseconds = heldNanoseconds
  }

  /// Why sound that is ready at `now` was not there for its callback.
  ///
  /// - Parameter held: for how long pieces of work were held up in this wake-up.
  func cause(atNanoseconds now: Int64, heldNanoseconds held: Int64) -> UnderrunCause {
    guard neededNanoseconds != .max else { return .callbacks }
    let needed = neededNanoseconds - Self.marginNanoseconds
    if now - lostNanoseconds - held > needed { return .work }
    return now > needed ? .wakeUps : .callbacks
  }
}
