import Cryptography
import EventLoop
import Habits
import Media
import Mesh
import StatusSchema
import Synchronization
import Testing

@testable import Intercom

/// Members that come, go, start anew and are put out.
@Suite struct StationMemberTests {
  let network = VirtualNetwork()
  let anna: VirtualNode

  init() throws {
    anna = try VirtualNode("Anna", at: .host(1), beat: VirtualNode.Beat()) {
      $0.maximumPeers = 3
    }
    network.add(anna)
  }

  private func node(
    _ name: String, _ number: Int, run: UInt64 = 0, called: String? = nil
  ) throws -> VirtualNode {
    let made = try VirtualNode(name, at: .host(number), run: run, beat: VirtualNode.Beat()) {
      $0.name = called ?? name
    }
    made.mic = Tone(hertz: 400 + 100 * Double(number)).sample
    network.add(made)
    return made
  }

  private func meet(_ other: VirtualNode) throws {
    try anna.admit(other, network)
    try other.admit(anna, network)
    try #require(network.run(until: { anna.connected(other) != nil }, limitSeconds: 1.5))
  }

  private func departures() -> Int {
    anna.events.count { if case .peerLeft = $0 { true } else { false } }
  }

  @Test func `who is put out is silent at once and after a roll hears nothing`() throws {
    anna.mic = Tone(hertz: 440).sample
    let (bert, carl) = (try node("Bert", 2), try node("Carl", 3))
    try meet(bert)
    try meet(carl)
    network.run(seconds: 3)
    #expect(Tone(hertz: 600).level(in: anna.heard.suffix(24_000)) > 0.05)
    anna.station.roster.expel(bert.node, saidGoodbye: false)
    #expect(anna.ports.names.values.sorted() == ["Carl"] && departures() == 1)
    #expect(anna.station.seen.map(\.address) == [.host(3)])
    let before = anna.drops("unknownSource")
    network.run(seconds: 0.05)
    let silent = anna.heard.count
    network.run(seconds: 0.5)
    #expect(Tone(hertz: 600).level(in: anna.heard[silent...]) < 0.001)
    #expect(anna.drops("unknownSource") > before + 40)
    #expect(network.media(to: .host(2), since: network.now - 400_000_000).isEmpty)

    // What Anna says to Carl is of no use to Bert any more.
    let key = try anna.makeNextKey()
    #expect(try carl.install(key, of: anna, network))
    anna.station.protection.base.useNextKey()
    network.run(seconds: 0.5)
    for datagram in network.media(to: .host(3)).suffix(20) where datagram.source == .host(1) {
      bert.station.datagramReceived(
        unsafe datagram.bytes.span.bytes, from: .host(1), arrivalNanoseconds: network.now)
    }
    #expect(bert.drops("unknownKey") == 20)
    #expect(Tone(hertz: 440).level(in: carl.heard.suffix(20_000)) > 0.05)
    anna.station.roster.expel(bert.node, saidGoodbye: false)
    #expect(try !anna.install(bert.ownKey, of: bert, network))
  }

  @Test func `who starts anew is put out and let in again`() throws {
    let first = try node("Bert", 2)
    try meet(first)
    try anna.station.roster.change("Bert") { $0.gainDecibels = -6 }
    network.remove(first)
    let second = try node("Bert", 2, run: 1)
    anna.station.roster.expel(first.node, saidGoodbye: false)
    try meet(second)
    network.run(seconds: 2)
    #expect(Tone(hertz: 600).level(in: anna.heard.suffix(48_000)) > 0.03)
    let status = try #require(anna.statuses(network).first)
    #expect(status.gainDecibels == -6 && status.name == "Bert" && status.lost == 0)
  }

  @Test func `settings go by the node and not by its name`() throws {
    let bert = try node("Bert", 2)
    try meet(bert)
    try anna.station.roster.change("Bert") { ($0.gainDecibels, $0.isMuted) = (-9, true) }
    anna.station.roster.expel(bert.node, saidGoodbye: false)
    let carl = try VirtualNode("Bert", at: .host(3))
    carl.mic = { _ in 0 }
    // Another node of that name.
    anna.station.admit(
      Member(node: .named("another"), name: "Bert", addresses: [.host(3)]),
      nowNanoseconds: network.now)
    #expect(anna.statuses(network).first?.gainDecibels == 0)
    anna.station.roster.expel(.named("another"), saidGoodbye: false)
    try anna.admit(bert, name: "Robert", network)
    let status = try #require(anna.statuses(network).first)
    #expect(status.name == "Robert" && status.gainDecibels == -9 && status.isMuted)
    // While it is away they can be changed.
    try anna.station.roster.change("Robert") { $0.isMuted = false }
    try #require(network.run(until: { anna.connected(bert) != nil }, limitSeconds: 1.5))
    let connected = try #require(anna.statuses(network).first)
    #expect(connected.name == "Bert" && connected.gainDecibels == -9 && !connected.isMuted)
  }

  @Test func `a member whose key comes after its reports is heard at once, not at its next one`()
    throws
  {
    let bert = try node("Bert", 2)
    let told = Member(node: bert.node, name: "Bert", addresses: bert.addresses)
    anna.station.admit(told, nowNanoseconds: network.now)
    try bert.admit(anna, network)
    // What it says, and says again, is unintelligible, and our reports are answered by that.
    network.run(seconds: 0.15)
    try anna.install(bert.ownKey, of: bert, network)
    let isHeard = { anna.connected(bert) != nil && bert.connected(anna) != nil }
    #expect(network.run(until: isHeard, limitSeconds: 0.3))
  }

  @Test func `a lost report costs a member that comes a tenth of a second, not a whole one`() throws
  {
    let bert = try node("Bert", 2)
    network.cut(.host(2))
    try anna.admit(bert, network)
    try bert.admit(anna, network)
    network.run(seconds: 0.05)
    network.mend(.host(2))
    let isHeard = { anna.connected(bert) != nil && bert.connected(anna) != nil }
    #expect(network.run(until: isHeard, limitSeconds: 0.3))
  }

  @Test func `a change of the network lets a member that fell silent be heard at once`() throws {
    let bert = try node("Bert", 2)
    try meet(bert)
    network.run(seconds: 1)
    network.cut(.host(2))
    let isLost = { anna.connected(bert) == nil && bert.connected(anna) == nil }
    try #require(network.run(until: isLost, limitSeconds: 6))
    network.mend(.host(2))
    anna.station.networkChanged(nowNanoseconds: network.now)
    #expect(network.run(until: { anna.connected(bert) != nil }, limitSeconds: 0.3))
  }

  @Test func `members of one name that come back in another order have their names and settings`()
    throws
  {
    let nodes = [
      try node("first", 2, called: "Bert"), try node("second", 3, called: "Bert"),
    ]
    func names() -> [String?] { nodes.map { anna.connected($0)?.name } }
    for node in nodes { try meet(node) }
    #expect(names() == ["Bert", "Bert-2"])
    try anna.station.roster.change("Bert-2") { $0.isMuted = true }
    for node in nodes { anna.station.roster.expel(node.node, saidGoodbye: false) }
    // Nobody else gets what is theirs.
    let third = try node("third", 4, called: "Bert")
    try meet(third)
    #expect(anna.connected(third)?.name == "Bert-3")
    for node in nodes.reversed() { try meet(node) }
    #expect(names() == ["Bert", "Bert-2"])
    #expect(Set(anna.ports.names.values) == ["Bert", "Bert-2", "Bert-3"])
    #expect(nodes.map { anna.connected($0)?.settings.isMuted } == [false, true])
  }

  @Test func `a node that is started anew calls members of one name what it called them`() throws {
    let nodes = [
      try node("first", 2, called: "Bert"), try node("second", 3, called: "Bert"),
    ]
    let told = Mutex(0)
    anna.station.roster.namesChanged = { told.withLock { $0 += 1 } }
    for node in nodes { try meet(node) }
    #expect(told.withLock { $0 } == 2, "each change once")
    var again = MemberNames(anna.station.roster.names.memory)
    // They come back the other way round, after one who was never there.
    var called: [NodeID: String] = [:]
    for id in [.named("third")] + nodes.reversed().map(\.node) {
      called[id] = again.name(of: id, wish: "Bert") { called[$0] != nil || $0 == id }
    }
    #expect(nodes.map { called[$0.node] } == ["Bert", "Bert-2"])
    #expect(called[.named("third")] == "Bert-3")
  }

  @Test func `the name of one who was forgotten is the next one's, that of a member stays`() throws
  {
    let (first, second) = (
      try node("first", 2, called: "Bert"), try node("second", 3, called: "Bert")
    )
    try meet(first)
    anna.station.roster.freeName(of: first.node)
    #expect(anna.station.roster.names.memory.entries[first.node]?.name == "Bert")
    anna.station.roster.expel(first.node, saidGoodbye: false)
    anna.station.roster.freeName(of: first.node)
    try meet(second)
    #expect(anna.connected(second)?.name == "Bert")
  }

  @Test func `a member whose name had a number for one who was forgotten has it without, at once`()
    throws
  {
    let (first, second) = (
      try node("first", 2, called: "Bert"), try node("second", 3, called: "Bert")
    )
    try meet(first)
    try meet(second)
    #expect(anna.connected(second)?.name == "Bert-2")
    anna.station.roster.expel(first.node, saidGoodbye: false)
    anna.station.roster.freeName(of: first.node)
    #expect(anna.connected(second)?.name == "Bert")
    #expect(anna.ports.names.values.sorted() == ["Bert"])
  }

  @Test func `a node that is called otherwise is so at its members`() throws {
    let bert = try node("Bert", 2)
    try meet(bert)
    bert.station.roster.rename("Stage")
    #expect(network.run(until: { anna.connected(bert)?.name == "Stage" }, limitSeconds: 15))
    #expect(bert.station.snapshot(nowNanoseconds: network.now).sending.name == "Stage")
  }

  @Test func `each change of the mix is told once`() throws {
    let told = Mutex(0)
    anna.station.mix.changed = { told.withLock { $0 += 1 } }
    let bert = try node("Bert", 2)
    try meet(bert)
    anna.station.setTalk(true)
    #expect(told.withLock { $0 } == 0)
    try anna.station.roster.change("Bert") { $0.gainDecibels = -9 }
    try anna.station.roster.change("Bert") { $0.gainDecibels = -9 }
    let settings = PeerSettings(gainDecibels: -9, pan: 0, isMuted: false)
    #expect(told.withLock { $0 } == 1)
    #expect(anna.station.mix.mix == Mix(isTalking: true, peers: [bert.node: settings]))
    anna.station.roster.expel(bert.node, saidGoodbye: false)
    anna.station.setTalk(false)
    #expect(told.withLock { $0 } == 2)
    #expect(anna.station.mix.mix == Mix(isTalking: false, peers: [bert.node: settings]))
  }

  @Test func `a mix of a former run is that of the member that comes`() throws {
    let bert = try node("Bert", 2)
    var mix = Mix()
    mix.isTalking = false
    mix.peers[bert.node] = PeerSettings(gainDecibels: 99, pan: -0.5, isMuted: true)
    anna.station.restore(mix)
    try meet(bert)
    let status = try #require(anna.statuses(network).first)
    // No more than can be set.
    #expect(status.gainDecibels == 18 && status.pan == -0.5 && status.isMuted)
    #expect(!anna.station.microphone.isTalking && anna.station.mix.mix == mix)
  }

  @Test func `the first to claim an SSRC keeps it`() throws {
    let (bert, carl) = (try node("Bert", 2), try node("Carl", 3))
    try meet(bert)
    for mask in [0, .max] as [UInt32] {
      var key = carl.ownKey
      key.ssrc = bert.ownKey.ssrc ^ mask
      anna.station.admit(
        Member(node: carl.node, name: "Carl", addresses: carl.addresses),
        nowNanoseconds: network.now)
      #expect(
        !anna.station.roster.install(
          try ReceivedKey(key), of: carl.node, nowNanoseconds: network.now))
    }
    let own = anna.ownKey
    #expect(try !anna.install(own, of: carl, network))
    #expect(anna.drops("takenSSRC") == 3)
    #expect(anna.events.count { if case .ssrcTaken("Carl") = $0 { true } else { false } } == 3)
    network.run(seconds: 3)
    #expect(anna.connected(bert) != nil && anna.connected(carl) == nil)
    #expect(try #require(anna.statuses(network).first).lost == 0)
  }

  @Test func `the farewell comes by the control connection`() throws {
    let bert = try node("Bert", 2)
    try meet(bert)
    bert.station.end()
    network.run(seconds: 0.2)
    network.remove(bert)
    #expect(anna.connected(bert) != nil)
    anna.station.roster.expel(bert.node, saidGoodbye: true)
    #expect(anna.connected(bert) == nil && departures() == 1)
  }

  @Test func `there are as many members as places`() throws {
    for number in 2...4 { try anna.admit(try node("P\(number)", number), network) }
    let late = Member(node: .named("late"), name: "Late", addresses: [])
    #expect(!anna.station.admit(late, nowNanoseconds: network.now))
    anna.station.roster.expel(.named("P2"), saidGoodbye: false)
    #expect(anna.station.admit(late, nowNanoseconds: network.now))
  }
}
