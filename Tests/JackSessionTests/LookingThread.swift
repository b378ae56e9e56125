import Glibc
import Synchronization
import System

@testable import JackSession

/// Looks as the media loop does, on a thread of its own.
final class LookingThread: Sendable {
  private let thread: BlockingThread?

  init(_ look: sending @escaping (Int64) -> Void) {
    let look = Mutex(look)
    let box = LookBox(look: look)
    thread = try? BlockingThread(name: "looking") { thread in
      while !thread.isStopping {
        box.look.withLock { $0(monotonicNanoseconds()) }
        thread.sleep(milliseconds: 50)
      }
    }
    try? thread?.start()
  }

  func stop() { _ = thread?.stop(withinMilliseconds: 1000) }
}

/// A mutex cannot be captured by itself.
private final class LookBox: Sendable {
  let look: Mutex<(Int64) -> Void>
  init(look: consuming sending Mutex<(Int64) -> Void>) { self.look = look }
}
