import Mesh

/// What is to outlive this run: which change of it was written, and who waits for that.
///
/// A task of its own writes the newest, in place of those that it had no time for.
struct MemoryKeeping {
  /// A state of the memory, and which change made it.
  struct Write: Sendable {
    let change: Int
    let memory: MeshMemory
  }

  /// What is to be written, the newest only; ends with ``end(_:)``.
  let writes: AsyncStream<Write>
  private let queue: AsyncStream<Write>.Continuation
  /// How often it changed, and the last change that was written, or could not be.
  private var (change, keptChange) = (0, 0)
  private var lastProblem: String?
  private var waiters: [(change: Int, answer: CheckedContinuation<String?, Never>)] = []

  init() { (writes, queue) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

  /// The last write failed.
  var isTrouble: Bool { lastProblem != nil }

  /// Queues a memory that changed.
  mutating func store(_ memory: MeshMemory) {
    change += 1
    write(memory)
  }

  /// Queues a memory, again.
  func write(_ memory: MeshMemory) { queue.yield(Write(change: change, memory: memory)) }

  /// Writes nothing more after this, which is tried again if it failed.
  func end(_ memory: MeshMemory) {
    if isTrouble { write(memory) }
    queue.finish()
  }

  /// A write is over, and covers all earlier changes.
  mutating func isOver(_ change: Int, problem: String?) {
    (keptChange, lastProblem) = (change, problem)
    let answered = waiters.filter { $0.change <= change }
    waiters.removeAll { $0.change <= change }
    for waiter in answered { waiter.answer.resume(returning: problem) }
  }

  /// Answers as soon as all decisions so far are kept, with nil, or cannot be, with why.
  mutating func wait(_ answer: CheckedContinuation<String?, Never>) {
    guard keptChange < change else { return answer.resume(returning: lastProblem) }
    waiters.append((change, answer))
  }
}
