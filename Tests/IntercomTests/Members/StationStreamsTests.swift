import Cryptography
import EventLoop
import Media
import Mesh
import RTP
import TestKit
import Testing

@testable import Intercom

/// Three nodes, of which two have eight streams each for one another and the third is in none of their audiences.
@Suite struct StationStreamsTests {
  private let network = VirtualNetwork()
  private let anna: VirtualNode
  private let bert: VirtualNode
  private let carl: VirtualNode
  private var nodes: [VirtualNode] { [anna, bert, carl] }

  init() throws {
    func node(_ name: String, _ number: Int) throws -> VirtualNode {
      try VirtualNode(name, at: .host(number), beat: VirtualNode.Beat())
    }
    (anna, bert, carl) = (try node("Anna", 1), try node("Bert", 2), try node("Carl", 3))
    for (index, node) in nodes.enumerated() {
      var tone = Tone(hertz: 440 + 260 * Double(index))
      // Eight of them together are not yet limited.
      tone.amplitude = 0.03
      node.mic = tone.sample
      network.add(node)
    }
    for node in nodes { for other in nodes where other !== node { try node.admit(other, network) } }
  }

  /// Opens a stream for some, who take its key.
  @discardableResult
  private func open(_ node: VirtualNode, to listeners: [VirtualNode]) throws -> MediaKey {
    let free = try #require(node.station.protection.freeNumber())
    let stream = node.station.open(
      free.number, StreamAudience(octets: [UInt8(free.number)]),
      .nodes(Set(listeners.map(\.node))), try SRTPSendingKey(epoch: UInt8(free.epoch)),
      epoch: free.epoch)
    let key = try #require(stream).message
    for listener in listeners { #expect(try listener.install(key, of: node, network)) }
    return key
  }

  private func openAll(_ count: Int = 8) throws {
    for _ in 1..<count {
      try open(anna, to: [bert])
      try open(bert, to: [anna])
    }
  }

  private func session(_ node: VirtualNode, of other: VirtualNode) throws -> Session {
    try #require(node.station.roster.sessions[other.node])
  }

  private static func ssrc(_ datagram: Datagram) -> UInt32? {
    SRTPReceiver.claimedSSRC(ofMedia: unsafe datagram.bytes.span.bytes)
  }

  @Test func `eight streams each way are heard by whom they are for, and nobody else is sent any`()
    throws
  {
    network.run(seconds: 2)
    try openAll()
    network.run(seconds: 6)
    for (node, other) in [(anna, bert), (bert, anna)] {
      let session = try session(node, of: other)
      #expect(
        Set(session.streams.map(\.number)) == Set(0..<8) && session.streams.first?.number == 0)
      for heard in session.streams {
        let statistics = heard.stream.statistics
        #expect(statistics.received > 500 && heard.stream.isSounding, "stream \(heard.number)")
        #expect(statistics.lost == 0 && statistics.restarts == 0, "stream \(heard.number)")
      }
      let reports = try #require(session.active).reports
      for own in node.station.protection.streams.compactMap({ $0 }) {
        #expect(reports.remoteReception(of: own.ssrc)?.cumulativeLost == 0, "\(own.number)")
      }
      #expect(node.events.count { if case .peerLeft = $0 { true } else { false } } == 0)
    }
    for other in [anna, bert] { #expect(try session(carl, of: other).streams.count == 1) }
    #expect(nodes.allSatisfy { $0.station.drops.byReason.values.allSatisfy { $0 == 0 } })
    // Coded once, and protected once a stream: one packet each, whoever gets it.
    let since = network.now - 1_000_000_000
    let toBert = network.media(to: .host(2), since: since).filter { $0.source == .host(1) }
    #expect(Set(toBert.compactMap(Self.ssrc)).count == 8)
    let toCarl = network.media(to: .host(3), since: since)
    #expect(
      Set(toCarl.compactMap(Self.ssrc))
        == Set([anna, bert].map { $0.station.roster.identity.ssrc.rawValue }))
    // Eight copies of one voice are eight times as loud.
    let level = Tone(hertz: 700).level(in: anna.heard.suffix(48_000))
    #expect(level > 4 * Tone(hertz: 700).level(in: carl.heard.suffix(48_000)))
  }

  @Test func `who is not in the audience cannot read what it gets hold of`() throws {
    network.run(seconds: 2)
    try openAll()
    network.run(seconds: 1)
    let own = anna.station.roster.identity.ssrc.rawValue
    let others = network.media(to: .host(2)).filter {
      $0.source == .host(1) && Self.ssrc($0) != own
    }
    #expect(others.count > 500)
    let before = carl.drops("unknownSSRC")
    for datagram in others.prefix(200) {
      carl.station.datagramReceived(
        unsafe datagram.bytes.span.bytes, from: .host(1), arrivalNanoseconds: network.now)
    }
    #expect(carl.drops("unknownSSRC") == before + 200)
    // Nor with the keys that it has, whatever it takes the packets for.
    let receiver = SRTPReceiver()
    try receiver.add(anna.ownKey)
    for datagram in others.prefix(200) {
      var room = [UInt8](repeating: 0, count: datagram.bytes.count)
      var span = room.mutableSpan
      var bytes = unsafe span.mutableBytes
      #expect(throws: CryptoError.self) {
        _ = try receiver.unprotect(unsafe datagram.bytes.span.bytes, into: &bytes)
      }
    }
    #expect(receiver.counters.accepted == 0)
  }

  @Test func `a member that opens, moves and ends streams stays the same member`() throws {
    network.run(seconds: 2)
    let first = try session(bert, of: anna)
    let key = try open(anna, to: [bert])
    network.run(seconds: 1)
    #expect(first.streams.map(\.number) == [0, 1])
    // It moves to another audience: its sound goes on under the next key.
    let stream = try #require(anna.station.protection.stream(1))
    stream.listeners = .nodes([bert.node, carl.node])
    anna.station.roster.follow(stream)
    let next = try anna.makeNextKey(of: 1)
    for node in [bert, carl] { #expect(try node.install(next, of: anna, network)) }
    stream.useNextKey()
    network.run(seconds: 1)
    #expect(try session(carl, of: anna).streams.map(\.number) == [0, 1])
    #expect(first.streams.last?.stream.statistics.lost == 0)
    // Bert is in its audience no more.
    stream.listeners = .nodes([carl.node])
    anna.station.roster.follow(stream)
    bert.station.roster.endStream(1, of: anna.node)
    network.run(seconds: 1)
    #expect(first.streams.map(\.number) == [0] && first.isConnected)
    #expect(
      network.media(to: .host(2), since: network.now - 500_000_000)
        .allSatisfy { Self.ssrc($0) != key.ssrc })
    // Its number is another stream's now, with another SSRC.
    anna.station.close(stream)
    carl.station.roster.endStream(1, of: anna.node)
    let again = try open(anna, to: [bert, carl])
    #expect(again.stream == 1 && again.ssrc != key.ssrc && again.epoch > next.epoch)
    network.run(seconds: 1)
    for node in [bert, carl] {
      let session = try session(node, of: anna)
      #expect(session.streams.map(\.number) == [0, 1])
      #expect(session.streams.last?.stream.statistics.received ?? 0 > 50)
      #expect(node.events.count { if case .peerLeft = $0 { true } else { false } } == 0)
    }
    #expect(try session(bert, of: anna) === first && first.keys.count == 2)
  }

  @Test func `keys of streams that cannot be are refused and counted`() throws {
    network.run(seconds: 2)
    let key = try open(anna, to: [bert])
    var taken = key
    (taken.stream, taken.ssrc, taken.epoch) = (2, carl.ownKey.ssrc, 9)
    #expect(try !bert.install(taken, of: anna, network))
    taken.ssrc = ~key.ssrc
    #expect(try !bert.install(taken, of: anna, network))
    taken.ssrc = bert.ownKey.ssrc
    #expect(try !bert.install(taken, of: anna, network))
    #expect(bert.drops("takenSSRC") == 3)
    // The stream that reports go by stays; an older key of another SSRC comes too late, and changes nothing.
    var base = anna.ownKey
    (base.ssrc, base.epoch) = (12_345, 9)
    #expect(try !bert.install(base, of: anna, network))
    var stale = key
    (stale.ssrc, stale.epoch) = (12_345, 0)
    #expect(try bert.install(stale, of: anna, network))
    bert.station.roster.endStream(0, of: anna.node)
    bert.station.roster.endStream(5, of: anna.node)
    network.run(seconds: 1)
    #expect(
      try session(bert, of: anna).streams.map(\.ssrc.rawValue) == [anna.ownKey.ssrc, key.ssrc])
  }

  @Test func `a node has so many streams at most, and a session gone is forgotten with them all`()
    throws
  {
    network.run(seconds: 2)
    try openAll(MediaKey.maximumStreams)
    #expect(anna.station.protection.freeNumber() == nil)
    network.run(seconds: 1)
    let old = network.media(to: .host(2)).filter { $0.source == .host(1) }.suffix(300)
    let before = bert.station.slots.freeCount
    bert.station.roster.expel(anna.node, saidGoodbye: true)
    network.run(seconds: 1)
    #expect(bert.station.slots.freeCount == before + MediaKey.maximumStreams)
    #expect(bert.station.playout.streams.count == 1)
    // It comes back in the same session: what was received of each stream is not taken again.
    try bert.admit(anna, network)
    for stream in anna.station.protection.streams.compactMap({ $0 }) {
      try bert.install(stream.message, of: anna, network)
    }
    for datagram in old {
      bert.station.datagramReceived(
        unsafe datagram.bytes.span.bytes, from: .host(1), arrivalNanoseconds: network.now)
    }
    #expect(bert.drops("replayed") > 100)
  }
}
