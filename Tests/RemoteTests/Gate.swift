import Synchronization

@testable import ControlSocket
@testable import Remote

/// A handler that keeps every request until it is opened.
final class Gate: ControlHandler {
  private struct Content {
    var isOpen = false
    var waiting: [CheckedContinuation<Void, Never>] = []
    var arrivals: [CheckedContinuation<Void, Never>] = []
  }

  private let content = Mutex(Content())

  func handle(_ request: ControlRequest) async -> ControlResponse {
    await withCheckedContinuation { continuation in
      let (goes, arrivals) = content.withLock { content in
        if !content.isOpen { content.waiting.append(continuation) }
        defer { content.arrivals = [] }
        return (content.isOpen, content.arrivals)
      }
      if goes { continuation.resume() }
      for arrival in arrivals { arrival.resume() }
    }
    return .ok
  }

  /// Returns once a request waits at the gate.
  func arrival() async {
    await withCheckedContinuation { continuation in
      let isThere = content.withLock { content in
        if content.waiting.isEmpty { content.arrivals.append(continuation) }
        return !content.waiting.isEmpty
      }
      if isThere { continuation.resume() }
    }
  }

  func open() {
    let waiting = content.withLock { content in
      content.isOpen = true
      defer { content.waiting = [] }
      return content.waiting
    }
    for continuation in waiting { continuation.resume() }
  }
}
