import Media
import Synchronization
import Testing

@testable import Intercom

/// Streams that are there before their peers.
@Suite struct StreamReserveTests {
  /// Jobs that are run when the test says so.
  private final class Jobs: Sendable {
    private let waiting = Mutex<[@Sendable () -> Void]>([])
    var count: Int { waiting.withLock { $0.count } }

    func add(_ job: @escaping @Sendable () -> Void) { waiting.withLock { $0.append(job) } }

    func run() {
      let jobs = waiting.withLock { waiting in
        defer { waiting = [] }
        return waiting
      }
      for job in jobs { job() }
    }
  }

  @Test func `nobody waits for a stream`() throws {
    let jobs = Jobs()
    let reserve = StreamReserve(PeerStreamConfiguration()) { jobs.add($0) }
    #expect(jobs.count == 0, "nobody is in sight")
    reserve.prepare()
    reserve.prepare()
    #expect(try reserve.take() == nil)
    #expect(jobs.count == 1, "they are being made already")
    jobs.run()
    let (first, second) = (try reserve.take(), try reserve.take())
    #expect(first != nil && second != nil && first !== second)
    #expect(try reserve.take() == nil)
    #expect(jobs.count == 1)
    jobs.run()
    #expect(try reserve.take() != nil)
    // A job that waits holds the reserve, which holds the jobs.
    jobs.run()
  }

  @Test func `a crowd that comes at once is connected one after the other`() throws {
    let jobs = Jobs()
    let network = VirtualNetwork()
    let anna = try VirtualNode(
      "Anna", at: .host(1), beat: VirtualNode.Beat(), runAside: { jobs.add($0) })
    network.add(anna)
    for number in 2...9 {
      let other = try VirtualNode("Node \(number)", at: .host(number), beat: VirtualNode.Beat())
      network.add(other)
      try other.meet(anna, network)
    }
    func connected() -> Int { (2...9).count { anna.isConnected(to: .host($0)) } }
    network.run(seconds: 1)
    #expect(connected() == 0 && anna.station.streams.awaitsStream)
    for expected in [2, 4, 6, 8] {
      jobs.run()
      network.run(seconds: 0.02)
      #expect(connected() == expected)
    }
    #expect(!anna.station.streams.awaitsStream)
    jobs.run()
  }
}
