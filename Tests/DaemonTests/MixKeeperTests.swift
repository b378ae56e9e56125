import Cryptography
import Intercom
import Logging
import Store
import Testing

@testable import comlinkd

@Suite struct MixKeeperTests {
  private let mixes: AsyncStream<Mix>
  private let changes: AsyncStream<Mix>.Continuation
  private let written: AsyncStream<KeptMix>
  private let writes: AsyncStream<KeptMix>.Continuation
  private let ends: AsyncStream<Void>.Continuation
  private let keeper: MixKeeper

  init() {
    (mixes, changes) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    let (written, writes) = AsyncStream.makeStream(of: KeptMix.self)
    let (pauses, ends) = AsyncStream.makeStream(of: Void.self)
    (self.written, self.writes, self.ends) = (written, writes, ends)
    keeper = MixKeeper(
      KeptMix(), log: Logger(label: "state"), pause: { for await _ in pauses { return } }
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
    #expect(await written.next() == KeptMix(Self.mix(-1)))
    for step in 2...50 { changes.yield(Self.mix(-Double(step))) }
    ends.yield()
    #expect(await written.next() == KeptMix(Self.mix(-50)))
  }

  @Test func `what changed last is kept at the end, without the pause`() async {
    await keeper.follow(mixes)
    var written = written.makeAsyncIterator()
    changes.yield(Self.mix(-1))
    _ = await written.next()
    await keeper.stop(with: Self.mix(-2))
    #expect(await written.next() == KeptMix(Self.mix(-2)))
    await keeper.stop(with: Self.mix(-2))
    writes.finish()
    #expect(await written.next() == nil)
  }

  @Test func `what is kept is what comes back`() {
    #expect(Mix(KeptMix(Self.mix(-7))) == Self.mix(-7))
    #expect(Mix(KeptMix()) == Mix())
  }
}
