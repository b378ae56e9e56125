import Cryptography
import Lines
import Mesh
import RTP
import TestKit
import Testing

@testable import Intercom

/// A private line of three nodes, one of which is removed, in virtual time.
@Suite struct StationPrivateLineTests {
  private static let board = StationLinesTests.name("board")

  private let network = VirtualNetwork()
  private let nodes: [VirtualNode]
  private let rig: LineRig
  private var anna: VirtualNode { nodes[0] }

  init() throws {
    nodes = try ["Anna", "Bert", "Carl"].enumerated().map { index, name in
      try VirtualNode(name, at: .host(index + 1), beat: VirtualNode.Beat())
    }
    for node in nodes { network.add(node) }
    var tone = Tone(hertz: 440)
    tone.amplitude = 0.1
    nodes[0].mic = tone.sample
    rig = LineRig(nodes, network)
    for node in nodes { for other in nodes where other !== node { try node.admit(other, network) } }
    for node in 0..<3 { try rig.change(node) { try $0.setTalk(false) } }
    var random = SplitMix64(seed: 3)
    try rig.change(0) { try $0.makePrivateLine(Self.board, PrivateLineID(using: &random)) }
    for node in 1..<3 { try bring(node) }
    network.run(seconds: 3)
  }

  private func bring(_ node: Int) throws {
    try rig.change(0) {
      try $0.setMember(nodes[node].node, isOn: true, ofPrivateLine: Self.board)
    }
    try rig.change(node) { try $0.join(Self.board, isPrivate: false) }
    for _ in 0..<3 { try rig.change(node) { _ in } }
  }

  private func loudness(_ node: Int) -> Double {
    Tone(hertz: 440).swellLevel(in: nodes[node].heard) / 0.06
  }

  /// Datagrams with sound from Anna that are not of the stream for all.
  private func privateDatagrams(to node: Int, since: Int64) -> [Datagram] {
    let base = anna.station.roster.identity.ssrc.rawValue
    return network.media(to: .host(node + 1), since: since).filter {
      $0.source == .host(1) && $0.bytes.count > 70
        && SRTPReceiver.claimedSSRC(ofMedia: unsafe $0.bytes.span.bytes) != base
    }
  }

  @Test func `all on it hear it, as loud as each wants`() throws {
    try rig.change(0) { try $0.press(Self.board, nowNanoseconds: 0) }
    network.run(seconds: 1)
    #expect(loudness(1) > 0.5 && loudness(2) > 0.5)
    try rig.change(1) { try $0.setLevel(-20, of: Self.board) }
    try rig.change(2) { try $0.setListening(false, to: Self.board) }
    network.run(seconds: 1)
    #expect((0.05...0.2).contains(loudness(1)) && loudness(2) < 0.001)
    try rig.change(2) { try $0.setListening(true, to: Self.board) }
    network.run(seconds: 1)
    #expect(loudness(2) > 0.5)
  }

  @Test func `who was removed cannot decrypt it with any key it was given, and plays nothing`()
    throws
  {
    try rig.change(0) { try $0.press(Self.board, nowNanoseconds: 0) }
    network.run(seconds: 1)
    try rig.change(0) {
      try $0.setMember(nodes[2].node, isOn: false, ofPrivateLine: Self.board)
    }
    for _ in 0..<3 { try rig.change(0) { _ in } }
    network.run(seconds: 0.5)
    let since = network.now
    network.run(seconds: 1)
    #expect(loudness(1) > 0.5 && loudness(2) < 0.001)
    let captured = privateDatagrams(to: 1, since: since)
    #expect(captured.count > 50 && privateDatagrams(to: 2, since: since).isEmpty)
    let keys = rig.handedOut.filter { $0.to == nodes[2].node }.map(\.key) + nodes.map(\.ownKey)
    #expect(keys.count >= 4)
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
    // Bert's key opens them: they are what they should be.
    #expect(rig.handedOut.contains { $0.to == nodes[1].node && $0.key.epoch > 1 })
  }
}
