import Cryptography
import Glibc
import Habits
import Logging
import Store
import Synchronization
import Testing

@testable import NodeDaemon

@Suite(.timeLimit(.minutes(1))) struct MixKeeperTests {
  private let mixes: AsyncStream<Mix>
  private let changes: AsyncStream<Mix>.Continuation
  private let written: AsyncStream<Mix>
  private let writes: AsyncStream<Mix>.Continuation
  private let ends: AsyncStream<Void>.Continuation
  private let keeper: Keeper<Mix, Mix>
  private let problems = KeepingProblems(log: Logger(label: "state"))

  init() {
    (mixes, changes) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    let (written, writes) = AsyncStream.makeStream(of: Mix.self)
    let (pauses, ends) = AsyncStream.makeStream(of: Void.self)
    (self.written, self.writes, self.ends) = (written, writes, ends)
    keeper = Keeper(
      Mix(), of: .mix, problems: problems, pace: .init(pause: { for await _ in pauses { return } })
    ) { writes.yield($0) }
  }

  private static func mix(_ gainDecibels: Double) -> Mix {
    var mix = Mix()
    let node = NodeID(octets: [UInt8](repeating: 7, count: NodeID.byteCount))
    if let node {
      mix.peers[node] = PeerSettings(gainDecibels: gainDecibels, pan: -0.5, isMuted: true)
    }
    return mix
  }

  @Test func `a fader that moves is kept at its first place, and after a pause where it is then`()
    async
  {
    await keeper.follow(mixes)
    var written = written.makeAsyncIterator()
    changes.yield(Self.mix(-1))
    #expect(await written.next() == Self.mix(-1))
    for step in 2...50 { changes.yield(Self.mix(-Double(step))) }
    ends.yield()
    #expect(await written.next() == Self.mix(-50))
  }

  @Test func `what changed last is kept at the end, without the pause`() async {
    await keeper.follow(mixes)
    var written = written.makeAsyncIterator()
    changes.yield(Self.mix(-1))
    _ = await written.next()
    await keeper.stop(with: Self.mix(-2))
    #expect(await written.next() == Self.mix(-2))
    await keeper.stop(with: Self.mix(-2))
    writes.finish()
    #expect(await written.next() == nil)
  }

  /// A keeper whose disk is full for so many writes; each pause before another try ends at once, or never.
  private func keeper(failures: Int, isPatient: Bool) -> Keeper<Mix, Mix> {
    let tries = Mutex(0)
    let writes = writes
    let pace = Keeper<Mix, Mix>.Pace(
      pause: {},
      retryPause: { if isPatient { try? await Task.sleep(for: .seconds(10_000)) } })
    return Keeper(Mix(), of: .mix, problems: problems, pace: pace) { mix throws(StoreError) in
      writes.yield(mix)
      let number = tries.withLock { tries in
        tries += 1
        return tries
      }
      guard number > failures else {
        throw .system(attempt: "write", path: "mix", code: ENOSPC)
      }
    }
  }

  @Test func `what a full disk did not take is written again until it does, and told meanwhile`()
    async
  {
    let keeper = keeper(failures: 2, isPatient: false)
    await keeper.follow(mixes)
    var written = written.makeAsyncIterator()
    changes.yield(Self.mix(-1))
    for _ in 1...3 { #expect(await written.next() == Self.mix(-1)) }
    while problems.words != nil { await Task.yield() }
    await keeper.stop(with: Self.mix(-1))
    writes.finish()
    #expect(await written.next() == nil)
  }

  @Test func `what is changed back to what was kept is written, as a write that failed may count`()
    async
  {
    let keeper = keeper(failures: 1, isPatient: true)
    await keeper.follow(mixes)
    var written = written.makeAsyncIterator()
    changes.yield(Self.mix(-1))
    #expect(await written.next() == Self.mix(-1))
    while problems.words == nil { await Task.yield() }
    #expect(
      problems.words?.hasPrefix("gain, pan, mute, talk, inputs and buses hold for this run only: ")
        == true)
    changes.yield(Mix())
    #expect(await written.next() == Mix())
    while problems.words != nil { await Task.yield() }
    await keeper.stop()
  }
}
