import Mesh

/// What outlives a run: written by a task of its own, the newest state only, and waited for by whoever wants to know.
extension Membership {
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
  }
}
