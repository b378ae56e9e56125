internal import NIOCore
internal import Synchronization

/// Lets work onto an event loop until that is about to end: afterwards nothing may be given to it.
final class LoopGate: Sendable {
  private let isOpen = Mutex(true)

  /// Has work done on a loop; where the gate is shut, nothing happens.
  ///
  /// Any thread.
  func run(on loop: any EventLoop, _ work: @escaping @Sendable () -> Void) {
    isOpen.withLock { if $0 { loop.execute(work) } }
  }

  /// Lets nothing more through.
  ///
  /// Any thread.
  func shut() { isOpen.withLock { $0 = false } }
}
