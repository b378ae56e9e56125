import Synchronization
import Testing

@testable import Panel

@Suite struct MetricsCacheTests {
  private final class Source: Sendable {
    let count = Mutex(0)
    let time = Mutex(ContinuousClock.now)

    func cache(_ read: @escaping @Sendable (Int) async -> String?) -> MetricsCache {
      MetricsCache(
        freshness: .seconds(1), now: { self.time.withLock { $0 } },
        read: {
          let number = self.count.withLock {
            $0 += 1
            return $0
          }
          return await read(number)
        })
    }

    func pass(_ duration: Duration) { time.withLock { $0 = $0 + duration } }
  }

  @Test func `the node is asked once a second at most`() async {
    let source = Source()
    let cache = source.cache { "\($0)" }
    #expect(await cache.text() == "1")
    source.pass(.milliseconds(999))
    #expect(await cache.text() == "1")
    source.pass(.milliseconds(1))
    #expect(await cache.text() == "2")
  }

  @Test func `many at once cause one question`() async {
    let source = Source()
    let (gate, opening) = AsyncStream<Void>.makeStream()
    let cache = source.cache { number in
      for await _ in gate { break }
      return "\(number)"
    }
    let texts = await withTaskGroup(of: String?.self) { group in
      for _ in 0..<20 { group.addTask { await cache.text() } }
      while source.count.withLock({ $0 }) == 0 { await Task.yield() }
      for _ in 0..<1000 { await Task.yield() }
      opening.finish()
      return await group.reduce(into: Set<String?>()) { $0.insert($1) }
    }
    #expect(texts == ["1"])
    #expect(source.count.withLock { $0 } == 1)
  }

  @Test func `that there are no figures is not kept`() async {
    let cache = Source().cache { $0 == 1 ? nil : "\($0)" }
    #expect(await cache.text() == nil)
    #expect(await cache.text() == "2")
  }
}
