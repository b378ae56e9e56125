import TestKit
import Testing

@Suite struct DepartureQueueTests {
  @Test func `what leaves first comes out first, of one moment what came first`() {
    var random = SplitMix64(seed: 1)
    var queue = DepartureQueue<Int>()
    var model: [(moment: Int64, number: Int)] = []
    for number in 0..<3000 {
      let moment = Int64(random.next() % 200)
      queue.push(number, atNanoseconds: moment)
      model.append((moment, number))
      guard random.chance(0.4) else { continue }
      model.sort { ($0.moment, $0.number) < ($1.moment, $1.number) }
      let expected = model.removeFirst()
      #expect(queue.nextNanoseconds == expected.moment)
      let popped = queue.pop(byNanoseconds: 200)
      #expect(popped?.payload == expected.number && popped?.nanoseconds == expected.moment)
      #expect(queue.count == model.count)
    }
  }

  @Test func `nothing comes out early`() {
    var queue = DepartureQueue<Int>()
    #expect(queue.pop(byNanoseconds: .max) == nil)
    queue.push(1, atNanoseconds: 10)
    #expect(queue.pop(byNanoseconds: 9) == nil)
    #expect(queue.pop(byNanoseconds: 10)?.payload == 1)
    #expect(queue.count == 0)
  }
}
