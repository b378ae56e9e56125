internal import Glibc
internal import StatusSchema
internal import Synchronization
internal import System

/// What the rest of the process leaves for the control server's thread, and how it wakes it.
final class ControlMailbox: Sendable {
  private struct Content {
    var answers: [(client: UInt64, line: [UInt8])] = []
    var isStopping = false
    var counters = ControlStatus()
  }

  /// Becomes readable when there is something to collect.
  let descriptor: Descriptor
  private let bell: Descriptor
  private let content = Mutex(Content())

  /// An empty mailbox.
  init() throws(RemoteError) {
    // A socket pair, because Swift's Glibc module has neither eventfd nor pipe2.
    var ends: [Int32] = [-1, -1]
    let type =
      Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    let made = SystemCall.result { unsafe socketpair(AF_UNIX, type, 0, &ends) }
    if let code = SystemCall.code(made) {
      throw .system(operation: "make a socket pair for", path: "the control socket", code: code)
    }
    descriptor = Descriptor(owning: ends[0])
    bell = Descriptor(owning: ends[1])
  }

  /// The counters as the server's thread last wrote them.
  ///
  /// Any thread.
  var counters: ControlStatus { content.withLock { $0.counters } }

  /// Changes the counters.
  ///
  /// Server's thread.
  func count(_ change: (inout ControlStatus) -> Void) {
    content.withLock { change(&$0.counters) }
  }

  /// Leaves the answer to a client's request.
  ///
  /// Any thread.
  func leave(_ line: [UInt8], for client: UInt64) {
    content.withLock { $0.answers.append((client, line)) }
    wake()
  }

  /// Asks the server's thread to end.
  ///
  /// Any thread.
  func stop() {
    content.withLock { $0.isStopping = true }
    wake()
  }

  /// Takes what was left, and whether to end.
  ///
  /// Server's thread.
  func collect() -> (answers: [(client: UInt64, line: [UInt8])], isStopping: Bool) {
    var ignored: UInt8 = 0
    while unsafe recv(descriptor.number, &ignored, 1, 0) > 0 {}
    return content.withLock { content in
      defer { content.answers.removeAll() }
      return (content.answers, content.isStopping)
    }
  }

  private func wake() {
    // A full queue means that the thread has enough to wake up for.
    var one: UInt8 = 1
    _ = unsafe send(bell.number, &one, 1, Int32(MSG_NOSIGNAL))
  }
}
