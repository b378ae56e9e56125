package import NIOCore
internal import Synchronization

/// The way onto one of SwiftNIO's event loops from other threads, shut before the loop ends:
/// nothing may be given to it then.
package final class LoopGate: Sendable {
  private let loop: any EventLoop
  private let isShut = Mutex(false)

  /// An open gate.
  package init(_ loop: any EventLoop) { self.loop = loop }

  /// Runs `body` on the loop, after what was given before, or `refusal` here when the gate is shut.
  ///
  /// Any thread.
  package func run(_ body: @escaping @Sendable () -> Void, orElse refusal: () -> Void = {}) {
    let isGiven = isShut.withLock { isShut in
      if !isShut { loop.execute(body) }
      return !isShut
    }
    if !isGiven { refusal() }
  }

  /// Whether the caller is on the loop.
  package var isOnLoop: Bool { loop.inEventLoop }

  /// Lets nothing more through; false when it was shut already.
  ///
  /// Any thread.
  package func shut() -> Bool {
    isShut.withLock { isShut in
      defer { isShut = true }
      return !isShut
    }
  }
}

/// Tasks that prefer it run on the loop, which spares them a thread of the pool and its waking; once the gate is shut
/// they run on Swift's ordinary pool.
extension LoopGate: TaskExecutor {
  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let executor = unsafe asUnownedTaskExecutor()
    run {
      unsafe job.runSynchronously(on: executor)
    } orElse: {
      globalConcurrentExecutor.enqueue(job)
    }
  }
}
