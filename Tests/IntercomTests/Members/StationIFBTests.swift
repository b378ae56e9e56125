import Cryptography
import Habits
import Lines
import Mesh
import TestKit
import Testing

@testable import Intercom

/// An IFB by what there is: a programme that is cut for those on a private line, and nobody else.
@Suite struct StationIFBTests {
  private static let ifb = StationLinesTests.name("ifb tina")

  private let network = VirtualNetwork()
  private let nodes: [VirtualNode]
  private let rig: LineRig
  private var tina: VirtualNode { nodes[0] }

  /// Tina hears the programme of Pia, which Paul may interrupt and Olaf may not.
  init() throws {
    nodes = try ["Tina", "Pia", "Paul", "Olaf"].enumerated().map { index, name in
      try VirtualNode(name, at: .host(index + 1), beat: VirtualNode.Beat()) {
        if name == "Pia" { $0.inputs = [InputSettings(name: "program", ports: ["program"])] }
      }
    }
    for (index, node) in nodes.enumerated() {
      var tone = Tone(hertz: Self.hertz(index))
      tone.amplitude = 0.2
      if index == 1 { node.inputs = [tone.sample] } else { node.mic = tone.sample }
      network.add(node)
    }
    rig = LineRig(nodes, network)
    for node in nodes { for other in nodes where other !== node { try node.admit(other, network) } }
    for node in nodes.indices { try rig.change(node) { try $0.setTalk(false) } }
    network.run(seconds: 1)
    try sendProgramme()
    try rig.change(2) {
      var random = SplitMix64(seed: 1)
      try $0.makePrivateLine(Self.ifb, PrivateLineID(using: &random))
      try $0.setMember(nodes[0].node, isOn: true, ofPrivateLine: Self.ifb)
    }
    for _ in 0..<2 { try rig.change(2) { _ in } }
    try rig.change(0) {
      try $0.join(Self.ifb, isPrivate: true)
      try $0.setListening(false, to: .all)
      try $0.setEar(["program-dim": "cut"])
    }
    for _ in 0..<2 { try rig.change(0) { _ in } }
    network.run(seconds: 3)
  }

  private func sendProgramme() throws {
    let pia = nodes[1]
    let free = try #require(pia.station.protection.freeNumber())
    let stream = pia.station.open(
      free.number, of: 1, .everyone, .everyone, try SRTPSendingKey(epoch: 1), epoch: 1)
    let key = try #require(stream).message
    for node in nodes where node !== pia { #expect(try node.install(key, of: pia, network)) }
  }

  private static func hertz(_ index: Int) -> Double { 440 + 260 * Double(index) }

  /// How loud a node is in Tina's ears in the last half second, left and right, 1 in the middle.
  private func loudness(of index: Int) -> (left: Double, right: Double) {
    let tone = Tone(hertz: Self.hertz(index))
    func level(_ pcm: [Float]) -> Double {
      tone.level(in: pcm.suffix(24_000)) / 0.12 * 2.0.squareRoot()
    }
    return (level(tina.heard), level(tina.heardRight))
  }

  private func press(_ index: Int, _ key: KeyName) throws {
    try rig.change(index) { try $0.press(key, nowNanoseconds: 0) }
  }

  private func release(_ index: Int, _ key: KeyName) throws {
    try rig.change(index) { try $0.release(key, nowNanoseconds: 3_600_000_000_000) }
  }

  @Test func `who is on the line interrupts the programme, which comes back, and others do not`()
    throws
  {
    #expect(abs(loudness(of: 1).left - 1) < 0.15)
    try press(3, .all)
    network.run(seconds: 2)
    #expect(abs(loudness(of: 1).left - 1) < 0.15 && loudness(of: 3).left < 0.01)
    try press(2, Self.ifb)
    network.run(seconds: 1)
    #expect(loudness(of: 1).left < 0.01)
    #expect(abs(loudness(of: 2).left - 1) < 0.15 && loudness(of: 3).left < 0.01)
    try release(2, Self.ifb)
    network.run(seconds: 2)
    #expect(abs(loudness(of: 1).left - 1) < 0.15 && loudness(of: 2).left < 0.01)
  }

  @Test func `the programme is in one ear, and who interrupts in the other`() throws {
    try rig.change(0) {
      try $0.setPan(-1, of: Self.ifb)
      try $0.setEar(["program-dim": "-6"])
    }
    try tina.station.roster.change("Pia") { $0.pan = 1 }
    network.run(seconds: 1)
    let alone = loudness(of: 1)
    #expect(alone.right > 1 && alone.left < 0.01)
    try press(2, Self.ifb)
    network.run(seconds: 1)
    #expect(abs(loudness(of: 1).right / alone.right - 0.501) < 0.08)
    #expect(loudness(of: 2).left > 1 && loudness(of: 2).right < 0.01)
  }
}
