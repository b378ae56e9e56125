import Mesh

/// What outlives a run: written by a task of its own, the newest state only, and waited for by whoever wants to know.
extension Membership {
  /// Before what could not be written is written again: a full disk is emptied, or a share is back.
  static let keepingPause = Duration.seconds(10)

  /// Waits until what was decided so far is kept, or cannot be.
  ///
  /// - Returns: why it holds for this run only, in words; nil: it is kept.
  public func keepingProblem() async -> String? {
    let change = memoryChange
    guard keptChange < change else { return lastKeepingProblem }
    return await withCheckedContinuation { keepingWaiters.append((change, $0)) }
  }

  /// Has the memory written as it is now.
  func store() {
    memoryChange += 1
    memoryWrites.yield((memoryChange, mesh.memory))
  }

  /// A change was written, or could not be; those before it are no matter then.
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

  /// Has what could not be written written again.
  private func storeAgain() {
    guard lastKeepingProblem != nil, !hasLeft else { return }
    memoryWrites.yield((memoryChange, mesh.memory))
  }

  /// Nothing is to be kept after this; what could not be written gets a last chance.
  func endKeeping() {
    keepingRetry?.cancel()
    if lastKeepingProblem != nil { memoryWrites.yield((memoryChange, mesh.memory)) }
    memoryWrites.finish()
  }
}
