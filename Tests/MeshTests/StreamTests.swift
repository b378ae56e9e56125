import Mesh
import Testing

/// Keys of a node's own streams: who gets which, when, and when they change.
@Suite struct StreamTests {
  private static func keys(_ messages: [Message]) -> [MediaKey] {
    messages.compactMap { if case .mediaKey(let key) = $0 { key } else { nil } }
  }

  private static func ends(_ messages: [Message]) -> [Int] {
    messages.compactMap { if case .streamEnd(let end) = $0 { end.stream } else { nil } }
  }

  @Test func `a key goes to members, present and future, and to nobody else`() {
    let bench = Bench()
    let member = bench.accept(Bench.lower)
    let stranger = bench.open(Bench.id(0x30), group: false)
    bench.give(.accepted(stranger))
    bench.give(.received(bench.hello(Bench.id(0x30)), stranger.connection))
    let key = bench.share()
    let later = bench.accept(Bench.higher)
    let actions = bench.taken()
    #expect(actions.sent(on: member).contains(key) && actions.sent(on: later).contains(key))
    #expect(!actions.sent(on: stranger.connection).contains(key))
    bench.give(.received(key, stranger.connection))
    let refused = bench.taken()
    #expect(!refused.contains { if case .mediaKey = $0 { true } else { false } })
    #expect(refused.closed(stranger.connection) == .outOfTurn)
  }

  @Test func `a key and an end of a member's stream come out as it said them`() {
    let bench = Bench()
    let member = bench.accept(Bench.lower)
    _ = bench.taken()
    let key = MediaKey(
      stream: 3, source: 1, audience: StreamAudience(octets: [1]), ssrc: 9, epoch: 4, octets: [1])
    bench.give(.received(.mediaKey(key), member))
    bench.give(.received(.streamEnd(StreamEnd(stream: 3)), member))
    #expect(bench.taken() == [.mediaKey(Bench.lower, key), .streamEnded(Bench.lower, 3)])
    let stranger = bench.open(Bench.id(0x30), group: false)
    bench.give(.accepted(stranger))
    bench.give(.received(bench.hello(Bench.id(0x30)), stranger.connection))
    _ = bench.taken()
    bench.give(.received(.streamEnd(StreamEnd(stream: 3)), stranger.connection))
    #expect(bench.taken().closed(stranger.connection) == .outOfTurn)
  }

  @Test func `a stream for some is no matter of the others`() {
    let bench = Bench()
    let (inside, outside) = (bench.accept(Bench.lower), bench.accept(Bench.higher))
    _ = bench.taken()
    let key = bench.share(1, with: .nodes([Bench.lower, Bench.id(0x20)]))
    bench.give(.endStream(1))
    let actions = bench.taken()
    #expect(actions.sent(on: inside) == [key, .streamEnd(StreamEnd(stream: 1))])
    #expect(actions.sent(on: outside).isEmpty)
    bench.share(1, epoch: 2, with: .nodes([Bench.lower, Bench.id(0x20)]))
    let late = bench.accept(Bench.id(0x20))
    let stranger = bench.accept(Bench.id(0x21))
    let admitted = bench.taken()
    #expect(Self.keys(admitted.sent(on: late)).map(\.epoch) == [2])
    #expect(Self.keys(admitted.sent(on: stranger)).isEmpty)
  }

  @Test func `all streams and their next keys reach who joins, each the older key first`() {
    let bench = Bench()
    for stream in 0..<MediaKey.maximumStreams {
      for epoch in [1, 2, 3] as [UInt64] { bench.share(stream, epoch: epoch, ssrc: UInt32(stream)) }
    }
    bench.give(.retireKeys(stream: 4, beforeEpoch: 3))
    bench.share(MediaKey.maximumStreams)
    bench.share(-1)
    let keys = Self.keys({ bench.taken().sent(on: $0) }(bench.accept(Bench.lower)))
    let expected = (0..<MediaKey.maximumStreams).flatMap { stream in
      stream == 4 ? [[stream, 3]] : [[stream, 2], [stream, 3]]
    }
    #expect(keys.map { [$0.stream, Int($0.epoch)] } == expected)
  }

  @Test func `an audience that moves tells who is out of it, and gives newcomers what it has`() {
    let bench = Bench()
    let (lower, higher) = (bench.accept(Bench.lower), bench.accept(Bench.higher))
    let first = bench.share(2, epoch: 1, with: .nodes([Bench.lower]))
    let second = bench.share(2, epoch: 2, with: .nodes([Bench.lower, Bench.higher]))
    var actions = bench.taken()
    #expect(Self.keys(actions.sent(on: lower)).map(\.epoch) == [1, 2])
    #expect(actions.sent(on: higher).suffix(2) == [first, second])
    bench.share(2, epoch: 3, with: .nodes([Bench.higher]))
    bench.share(2, epoch: 4, with: .nodes([Bench.higher]))
    actions = bench.taken()
    #expect(Self.ends(actions.sent(on: lower)) == [2], "once")
    #expect(Self.keys(actions.sent(on: lower)).isEmpty)
    #expect(Self.keys(actions.sent(on: higher)).map(\.epoch) == [3, 4])
    // Another SSRC is another stream: keys of the one before are none of it.
    bench.share(2, epoch: 5, ssrc: 77, with: .everyone)
    #expect(Self.keys(bench.taken().sent(on: lower)).map(\.ssrc) == [77])
  }

  @Test func `only the streams that a leaver heard get other keys`() {
    let bench = Bench()
    let (lower, higher) = (bench.accept(Bench.lower), bench.accept(Bench.higher))
    bench.share(0)
    bench.share(3, with: .nodes([Bench.lower]))
    bench.share(5, with: .nodes([Bench.higher]))
    bench.share(6, with: .nodes([Bench.lower, Bench.higher]))
    bench.share(7, with: .nodes([Bench.lower]))
    bench.give(.endStream(7))
    bench.give(.closed(lower))
    bench.pass(seconds: 1)
    #expect(bench.taken().filter { $0 == .rollKeys([0, 3, 6]) }.count == 1)
    bench.give(.endStream(0))
    bench.give(.endStream(5))
    bench.give(.endStream(6))
    bench.give(.closed(higher))
    bench.pass(seconds: 1)
    #expect(!bench.taken().contains { if case .rollKeys = $0 { true } else { false } })
  }
}
