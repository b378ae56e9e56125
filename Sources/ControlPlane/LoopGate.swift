internal import NIOCore
internal import Synchronization

/// The way to an event loop from other threads, which is shut before the loop ends.
final class LoopGate: Sendable {
  private let loop: any EventLoop
  private let isShut = Mutex(false)

  init(_ loop: any EventLoop) { self.loop = loop }

  /// Runs `body` on the loop, after what was given before, or `refusal` here when it is shut.
  func run(_ body: @escaping @Sendable () -> Void, orElse refusal: () -> Void = {}) {
    let isGiven = isShut.withLock { isShut in
      if !isShut { loop.execute(body) }
      return !isShut
    }
    if !isGiven { refusal() }
  }

  /// Nothing passes any more; false when it was shut already.
  func shut() -> Bool {
    isShut.withLock { isShut in
      defer { isShut = true }
      return !isShut
    }
  }
}
