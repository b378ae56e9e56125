import Cryptography
import EventLoop
import Lines
import Media
import Mesh
import RTP
import TestKit
import Testing

@testable import Intercom

/// Three nodes that talk to one another alone, to a group, and to all at once, in virtual time.
@Suite struct StationCallsTests {
  private static let bert = StationLinesTests.name("bert")
  private static let page = StationLinesTests.name("page")
  private static let second: Int64 = 1_000_000_000

  private let network = VirtualNetwork()
  private let nodes: [VirtualNode]
  private let rig: LineRig
  private var anna: VirtualNode { nodes[0] }
  private var bert: VirtualNode { nodes[1] }
  private var carl: VirtualNode { nodes[2] }

  init() throws {
    nodes = try ["Anna", "Bert", "Carl"].enumerated().map { index, name in
      try VirtualNode(name, at: .host(index + 1), beat: VirtualNode.Beat())
    }
    for (index, node) in nodes.enumerated() {
      var tone = Tone(hertz: 440 + 260 * Double(index))
      tone.amplitude = 0.1
      node.mic = tone.sample
      network.add(node)
    }
    rig = LineRig(nodes, network)
    for node in nodes { for other in nodes where other !== node { try node.admit(other, network) } }
    for node in 0..<3 { try rig.change(node) { try $0.setTalk(false) } }
    try rig.change(0) {
      try $0.setKey(
        try Key(Self.bert, targets: [.member(try MemberName("Bert"))], latchMilliseconds: 0))
    }
    network.run(seconds: 3)
  }

  private func loudness(_ node: VirtualNode) -> Double {
    Tone(hertz: 440).level(in: node.heard.suffix(24_000)) / 0.06
  }

  private func peak(_ node: VirtualNode, sinceFrame start: Int) -> Float {
    node.heard[start...].map(abs).max() ?? 0
  }

  /// Datagrams with sound from Anna to Bert that are not of the stream for all.
  private func privateDatagrams(since: Int64) -> [Datagram] {
    let base = anna.station.roster.identity.ssrc.rawValue
    return network.media(to: .host(2), since: since).filter {
      $0.source == .host(1) && $0.bytes.count > 70
        && SRTPReceiver.claimedSSRC(ofMedia: unsafe $0.bytes.span.bytes) != base
    }
  }

  @Test func `a key for a member is heard by that member, and nobody else is sent anything`() throws
  {
    #expect(loudness(bert) < 0.001)
    var since = network.now
    try rig.change(0) { try $0.press(Self.bert, nowNanoseconds: 0) }
    network.run(seconds: 1)
    #expect(loudness(bert) > 0.5 && loudness(carl) < 0.001)
    #expect(privateDatagrams(since: since).count > 90)
    let others = network.media(to: .host(3), since: since).filter { $0.source == .host(1) }
    #expect(others.allSatisfy { $0.bytes.count < 70 }, "no sound in them")
    // Whoever talks to one member and to a line is heard once by each.
    try rig.change(0) { try $0.setTalk(true) }
    network.run(seconds: 1)
    #expect(loudness(carl) > 0.5)
    try rig.change(0) {
      try $0.setTalk(false)
      try $0.release(Self.bert, nowNanoseconds: 10 * Self.second)
    }
    // DTX falls silent 0.3 s after the last word.
    network.run(seconds: 0.5)
    since = network.now
    network.run(seconds: 1)
    #expect(privateDatagrams(since: since).isEmpty && loudness(bert) < 0.001)
    #expect(loudness(carl) < 0.001)
    #expect(nodes.allSatisfy { $0.station.drops.byReason.values.allSatisfy { $0 == 0 } })
  }

  @Test func `a third member cannot decrypt a private talk with any key it was given`() throws {
    // Carl is talked to alone as well, before and afterwards.
    let carls = StationLinesTests.name("carl")
    try rig.change(0) {
      try $0.setKey(try Key(carls, targets: [.member(try MemberName("Carl"))]))
      try $0.press(carls, nowNanoseconds: 0)
    }
    network.run(seconds: 1)
    #expect(loudness(carl) > 0.5 && loudness(bert) < 0.001)
    let since = network.now
    try rig.change(0) {
      try $0.release(carls, nowNanoseconds: 5 * Self.second)
      try $0.press(Self.bert, nowNanoseconds: 5 * Self.second)
    }
    network.run(seconds: 0.5)
    // The stream moves on to another key meanwhile, and Bert's talk back is private as well.
    let stream = try #require(anna.station.protection.streams.compactMap { $0 }.last)
    let next = try anna.makeNextKey(of: stream.number)
    stream.useNextKey()
    for other in [bert, carl] where stream.listeners.contains(other.node) {
      try other.install(next, of: anna, network)
    }
    network.run(seconds: 0.5)
    var keys = rig.handedOut.filter { $0.to == carl.node }.map(\.key)
    if stream.listeners.contains(carl.node) { keys.append(next) }
    keys += [anna.ownKey, bert.ownKey]
    #expect(keys.count >= 3)
    let captured = privateDatagrams(since: since)
    #expect(captured.count > 50)
    for key in keys {
      let receiver = SRTPReceiver()
      try receiver.add(key)
      for datagram in captured {
        var room = [UInt8](repeating: 0, count: datagram.bytes.count)
        var span = room.mutableSpan
        var bytes = unsafe span.mutableBytes
        #expect(throws: CryptoError.self) {
          _ = try receiver.unprotect(unsafe datagram.bytes.span.bytes, into: &bytes)
        }
      }
      #expect(receiver.counters.accepted == 0)
    }
    // Whom it is for has the key.
    #expect(loudness(bert) > 0.5)
  }

  @Test func `a call is answered by the reply key, and both hear each other alone`() throws {
    try rig.change(0) { try $0.call(.member(nodes[1].node), nowNanoseconds: 0) }
    try rig.change(1) { try $0.press(.reply, nowNanoseconds: 0) }
    network.run(seconds: 1)
    let tone = Tone(hertz: 700)
    #expect(tone.level(in: anna.heard.suffix(24_000)) > 0.03)
    #expect(tone.level(in: carl.heard.suffix(24_000)) < 0.0001)
    #expect(rig.desks[0].calls.outgoing.isEmpty)
    try rig.change(0) { try $0.press(.reply, nowNanoseconds: 0) }
    network.run(seconds: 1)
    #expect(loudness(bert) > 0.5 && loudness(carl) < 0.001)
  }

  @Test func `an announcement is heard by those who listen to nothing`() throws {
    for node in 1..<3 { try rig.change(node) { try $0.setListening(false, to: .all) } }
    try rig.change(0) { try $0.setKey(try Key(Self.page, targets: [.announcement])) }
    try rig.change(0) { try $0.setTalk(true) }
    network.run(seconds: 1)
    #expect(loudness(bert) < 0.001)
    try rig.change(0) { try $0.press(Self.page, nowNanoseconds: 0) }
    network.run(seconds: 1)
    // By its peak: while the delay adapts, a tone is shifted, and its correlation says little.
    for node in [bert, carl] { #expect(peak(node, sinceFrame: node.heard.count - 24_000) > 0.05) }
    try rig.change(0) { try $0.release(Self.page, nowNanoseconds: 5 * Self.second) }
    network.run(seconds: 1)
    #expect(loudness(bert) < 0.001 && loudness(carl) < 0.001)
  }

  /// A click of 1 ms some time after the microphone's frame `at`.
  private func click(at frame: Int) -> (Int) -> Float {
    { index in
      guard (frame..<frame + 48).contains(index) else { return 0 }
      // 2 kHz, which Opus codes wherever in a codec frame it comes.
      return (index - frame) % 24 < 12 ? 0.5 : -0.5
    }
  }

  @Test(arguments: [0.0, 0.0033, 0.0071])
  func `nothing of a private talk is lost at press or release, and nothing goes to others`(
    offset: Double
  ) throws {
    network.run(seconds: offset)
    var start = anna.heard.count
    anna.mic = click(at: start)
    try rig.change(0) { try $0.press(Self.bert, nowNanoseconds: 0) }
    network.run(seconds: 0.5)
    #expect(peak(bert, sinceFrame: start) > 0.1, "at the press")
    start = anna.heard.count
    anna.mic = click(at: start + 2)
    let node = anna
    #expect(network.run(until: { node.heard.count >= start + 50 }))
    try rig.change(0) { try $0.release(Self.bert, nowNanoseconds: 5 * Self.second) }
    network.run(seconds: 0.5)
    #expect(peak(bert, sinceFrame: start) > 0.1, "before the release")
    // From one to all: what was said before the change may go to both, what is said after it to all alone.
    try rig.change(0) { try $0.press(Self.bert, nowNanoseconds: 6 * Self.second) }
    network.run(seconds: 0.5 + offset)
    try rig.change(0) {
      try $0.release(Self.bert, nowNanoseconds: 12 * Self.second)
      try $0.setTalk(true)
    }
    start = anna.heard.count
    anna.mic = click(at: start + 480)
    let since = network.now + 100_000_000
    network.run(seconds: 0.5)
    #expect(peak(carl, sinceFrame: start) > 0.1 && peak(bert, sinceFrame: start) > 0.1)
    #expect(privateDatagrams(since: since).isEmpty)
    #expect(peak(carl, sinceFrame: 3 * 48_000) > 0.1)
  }
}
