import Mesh

/// State kept across restarts: a task of its own writes the newest, and callers can wait for it.
extension Membership {
  /// Delay before a failed write is repeated: the disk may have room again, or the share be back.
  static let keepingPause = Duration.seconds(10)

  /// Waits until all decisions so far are saved, or cannot be.
  ///
  /// - Returns: why it holds for this run only, in words; nil: it is kept.
  public func keepingProblem() async -> String? {
    let change = memoryChange
    guard keptChange < change else { return lastKeepingProblem }
    return await withCheckedContinuation { keepingWaiters.append((change, $0)) }
  }

  /// Queues the present memory for writing.
  func store() {
    memoryChange += 1
    memoryWrites.yield((memoryChange, mesh.memory))
  }

  /// Handles a finished write, successful or not; it covers all earlier changes.
  func tellKept(_ change: Int, problem: String?) {
    keptChange = change
    lastKeepingProblem = problem
    let answered = keepingWaiters.filter { $0.change <= change }
    keepingWaiters.removeAll { $0.change <= change }
    for waiter in answered { waiter.answer.resume(returning: problem) }
    keepingRetry?.cancel()
    keepingRetry = nil
    guard problem != nil, !hasLeft else { return }
    keepingRetry = Task { [weak self, pause] in
      guard (try? await pause(Self.keepingPause)) != nil else { return }
      await self?.storeAgain()
    }
  }

  /// Repeats failed writes.
  private func storeAgain() {
    guard lastKeepingProblem != nil, !hasLeft else { return }
    memoryWrites.yield((memoryChange, mesh.memory))
  }

  /// Stops saving, after a last try of failed writes.
  func endKeeping() {
    keepingRetry?.cancel()
    if lastKeepingProblem != nil { memoryWrites.yield((memoryChange, mesh.memory)) }
    memoryWrites.finish()
  }
}
