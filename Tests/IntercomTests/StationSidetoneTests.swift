import EventLoop
import Glibc
import StatusSchema
import Testing

@testable import Intercom

/// The own microphone in the own ear.
@Suite struct StationSidetoneTests {
  private static let centre = 0.5.squareRoot()
  private let network = VirtualNetwork()
  private let tone = Tone(hertz: 440)

  private func node(
    _ name: String, _ host: Int, sidetone: Double? = nil
  ) throws -> VirtualNode {
    let node = try VirtualNode(name, at: .host(host), beat: VirtualNode.Beat()) {
      $0.sidetoneDecibels = sidetone
    }
    node.mic = tone.sample
    network.add(node)
    return node
  }

  /// How loud the microphone is in what was heard of the last half second, in parts of itself.
  private func level(_ node: VirtualNode) -> Double {
    tone.level(in: node.heard.suffix(32_000)) / tone.level(in: (0..<48_000).map(tone.sample))
  }

  /// What status would show.
  private func sidetoneStatus(of node: VirtualNode) -> Double? {
    node.station.snapshot(nowNanoseconds: network.now).nodeStatus(
      node.station.configuration, at: .host(1), uptimeSeconds: 0
    ).sidetoneDecibels
  }

  @Test func `it is off by default`() throws {
    let anna = try node("Anna", 1)
    network.run(seconds: 1)
    #expect(anna.heard.allSatisfy { $0 == 0 })
    #expect(sidetoneStatus(of: anna) == nil)
  }

  @Test(arguments: [0, -6, -60.0])
  func `it is as loud as told, in the period in which it was said, and in nobody else's ear`(
    decibels: Double
  ) throws {
    let anna = try node("Anna", 1, sidetone: decibels)
    let bert = try node("Bert", 2)
    bert.mic = { _ in 0 }
    try anna.meet(bert, network)
    network.run(seconds: 2)
    let (heard, gain) = (anna.heard, Float(Self.centre * pow(10, decibels / 20)))
    let isSame = (48_000..<heard.count).allSatisfy {
      abs(heard[$0] - tone.sample($0) * gain) < 1e-5
    }
    #expect(isSame)
    #expect(sidetoneStatus(of: anna) == decibels)
    let bertHears = tone.level(in: bert.heard.suffix(48_000))
    #expect(abs(bertHears - tone.amplitude * 0.6 * Self.centre) < 0.02)
  }

  @Test func `it is there as long as the microphone is open, and changes while it runs`() throws {
    let anna = try node("Anna", 1, sidetone: 0)
    network.run(seconds: 1)
    #expect(abs(level(anna) - Self.centre) < 0.05)
    anna.station.setTalk(false)
    network.run(seconds: 1)
    #expect(anna.heard.suffix(32_000).allSatisfy { $0 == 0 })
    anna.station.microphone.setSidetone(-20)
    anna.station.setTalk(true)
    network.run(seconds: 1)
    #expect(abs(level(anna) - 0.1 * Self.centre) < 0.01)
    anna.station.microphone.setSidetone(nil)
    network.run(seconds: 1)
    #expect(anna.heard.suffix(32_000).allSatisfy { $0 == 0 })
  }

  @Test func `while a peer's voice is sent back there is none`() throws {
    let anna = try node("Anna", 1, sidetone: 0)
    let bert = try node("Bert", 2)
    bert.mic = { _ in 0 }
    try anna.meet(bert, network)
    network.run(seconds: 1)
    _ = try anna.station.tests.beginLoopBack(
      of: anna.station.roster.sessions.find("Bert"), seconds: 60, nowNanoseconds: network.now)
    network.run(seconds: 1)
    #expect(level(anna) < 0.01)
    anna.station.tests.endLoopBack()
    network.run(seconds: 1)
    #expect(level(anna) > 0.5)
  }
}
