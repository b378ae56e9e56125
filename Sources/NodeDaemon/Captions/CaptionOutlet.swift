internal import Cryptography
internal import Intercom
internal import Mesh

/// The way of captions to members.
struct CaptionOutlet {
  var lane: (any ApplicationLane)?
  var sequence: UInt64
  /// Who is being sent to.
  var pumping: Set<NodeID> = []

  mutating func nextSequence() -> UInt64 {
    sequence += 1
    return sequence
  }
}

/// Who waits for captions to look at.
struct CaptionWaiters {
  private var all: [UInt64: CheckedContinuation<Void, Never>] = [:]
  private var count: UInt64 = 0

  mutating func nextNumber() -> UInt64 {
    count += 1
    return count
  }

  mutating func add(_ waiter: CheckedContinuation<Void, Never>, _ number: UInt64) {
    all[number] = waiter
  }

  mutating func wake(_ number: UInt64) { all.removeValue(forKey: number)?.resume() }

  mutating func wakeAll() {
    for waiter in all.values { waiter.resume() }
    all = [:]
  }
}
