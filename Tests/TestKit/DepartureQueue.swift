/// What is under way, by when it leaves; of one moment, what came first leaves first.
public struct DepartureQueue<Payload> {
  private struct Entry {
    let nanoseconds: Int64
    let number: UInt64
    let payload: Payload

    func leavesBefore(_ other: Entry) -> Bool {
      nanoseconds == other.nanoseconds
        ? number < other.number : nanoseconds < other.nanoseconds
    }
  }

  /// A binary heap: no entry leaves before its parent, at half its index.
  private var heap: [Entry] = []
  private var nextNumber: UInt64 = 0

  /// Nothing under way.
  public init() {}

  /// How much is under way.
  public var count: Int { heap.count }

  /// When the next leaves.
  public var nextNanoseconds: Int64? { heap.first?.nanoseconds }

  /// Puts something on its way.
  public mutating func push(_ payload: Payload, atNanoseconds nanoseconds: Int64) {
    heap.append(Entry(nanoseconds: nanoseconds, number: nextNumber, payload: payload))
    nextNumber += 1
    var index = heap.count - 1
    while index > 0, heap[index].leavesBefore(heap[(index - 1) / 2]) {
      heap.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  /// Takes what leaves next, if it leaves not after a moment.
  public mutating func pop(byNanoseconds now: Int64) -> (payload: Payload, nanoseconds: Int64)? {
    guard let first = heap.first, first.nanoseconds <= now else { return nil }
    heap.swapAt(0, heap.count - 1)
    heap.removeLast()
    sink()
    return (first.payload, first.nanoseconds)
  }

  /// Lets the entry on top find its place.
  private mutating func sink() {
    var index = 0
    while true {
      var first = index
      let (left, right) = (2 * index + 1, 2 * index + 2)
      if left < heap.count, heap[left].leavesBefore(heap[first]) { first = left }
      if right < heap.count, heap[right].leavesBefore(heap[first]) { first = right }
      guard first != index else { return }
      heap.swapAt(index, first)
      index = first
    }
  }
}
