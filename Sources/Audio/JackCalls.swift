internal import Synchronization

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
