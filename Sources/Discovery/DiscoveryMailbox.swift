internal import Cryptography
internal import Glibc
internal import Synchronization
internal import System

/// The mailbox between the thread of a ``Discovery`` and its callers.
final class DiscoveryMailbox: Sendable {
  private struct Contents {
    var service: ServiceDescription?
    var nodes: Set<NodeID> = []
    var isStopping = false
    var isDone = false
    var waker: AvahiWaker?
    var backend = DiscoveryBackend.none
    var counters = DiscoveryCounters()
  }

  private static let mostNodes = 128

  private let contents = Mutex(Contents())

  init() {}

  // For everybody.

  /// Leaves a description and wakes the thread.
  func leave(_ service: ServiceDescription) {
    contents.withLock {
      $0.service = service
      $0.waker?.wake()
    }
  }

  /// Leaves a node to be asked for anew, one of a few, and wakes the thread.
  func leave(_ node: NodeID) {
    contents.withLock {
      if $0.nodes.count < Self.mostNodes { $0.nodes.insert(node) }
      $0.waker?.wake()
    }
  }

  /// Asks the thread to end.
  func stop() {
    contents.withLock {
      $0.isStopping = true
      $0.waker?.wake()
    }
  }

  var isDone: Bool { contents.withLock { $0.isDone } }
  var backend: DiscoveryBackend { contents.withLock { $0.backend } }
  var counters: DiscoveryCounters { contents.withLock { $0.counters } }

  // For the thread.

  /// From now on it can be woken; nil: no more, as the waker's owner goes.
  func setWaker(_ waker: AvahiWaker?) { contents.withLock { $0.waker = waker } }

  /// What was left, and whether to end.
  func take() -> (service: ServiceDescription?, isStopping: Bool) {
    contents.withLock { ($0.service.take(), $0.isStopping) }
  }

  /// Nodes that are to be asked for anew.
  func takeNodes() -> Set<NodeID> {
    contents.withLock { contents in
      defer { contents.nodes = [] }
      return contents.nodes
    }
  }

  func tell(_ backend: DiscoveryBackend, _ counters: DiscoveryCounters) {
    contents.withLock {
      $0.backend = backend
      $0.counters = counters
    }
  }

  /// Whether nobody asks to end for so long; waits where nobody does.
  func staysOpen(forNanoseconds nanoseconds: Int64) -> Bool {
    let deadline = monotonicNanoseconds() + nanoseconds
    while monotonicNanoseconds() < deadline {
      if contents.withLock({ $0.isStopping }) { return false }
      usleep(20_000)
    }
    return true
  }

  func finish() { contents.withLock { $0.isDone = true } }
}
