import Audio
import Foundation
import Lines
import Testing

@testable import Intercom

/// Texts that are spoken, beside a voice message, in virtual time.
@Suite struct StationAloudTests {
  private let network = VirtualNetwork()
  private let nodes: [VirtualNode]
  private let rig: LineRig
  private var bert: VirtualNode { nodes[1] }

  init() throws {
    nodes = try ["Anna", "Bert"].enumerated().map { index, name in
      try VirtualNode(name, at: .host(index + 1), beat: VirtualNode.Beat())
    }
    for node in nodes { network.add(node) }
    rig = LineRig(nodes, network)
    for node in nodes { for other in nodes where other !== node { try node.admit(other, network) } }
    for node in 0..<2 { try rig.change(node) { try $0.setTalk(false) } }
    network.run(seconds: 1)
  }

  private func feed(hertz: Double, seconds: Double) throws -> EarFeed {
    let feed = try EarFeed(sampleRate: 48_000)
    let pcm = (0..<Int(48_000 * seconds)).map {
      Float(0.25 * sin(2 * .pi * hertz * Double($0) / 48_000))
    }
    feed.pipe.write(pcm.span)
    feed.pipe.end()
    return feed
  }

  private func level(_ hertz: Double) -> Double {
    Tone(hertz: hertz).level(in: bert.heard.suffix(24_000))
  }

  @Test(arguments: [("2", 0.2512), ("1", 1.0), ("4", 0.0)])
  func `a voice message gives way to it by the priority that is set`(
    priority: String, factor: Double
  ) throws {
    try rig.change(1) { try $0.setEar(["aloud-priority": priority]) }
    try bert.station.ear.clips.play(try feed(hertz: 440, seconds: 6))
    network.run(seconds: 1)
    let whole = level(440)
    #expect(whole > 0.05)
    let text = try feed(hertz: 1500, seconds: 1.5)
    try bert.station.ear.texts.play(text)
    network.run(seconds: 1)
    #expect(abs(level(1500) - whole) < 0.1 * whole)
    #expect(abs(level(440) - factor * whole) < 0.03 * whole, "\(level(440) / whole)")
    network.run(seconds: 2.5)
    #expect(text.isOver && abs(level(440) - whole) < 0.05 * whole)
    #expect(nodes[0].heard.suffix(96_000).allSatisfy { $0 == 0 })
    network.run(seconds: 2)
    #expect(!bert.station.ear.isBusy)
  }

  @Test func `as a page it is never below the floor`() throws {
    try rig.change(1) { try $0.setEar(["floor": "-21", "volume": "-21", "aloud-priority": "1"]) }
    try bert.station.ear.texts.play(try feed(hertz: 1500, seconds: 1))
    network.run(seconds: 0.7)
    let low = level(1500)
    try rig.change(1) { try $0.setEar(["floor": "-6", "volume": "-6"]) }
    network.run(seconds: 1)
    try rig.change(1) { try $0.setEar(["aloud-priority": "3"]) }
    try bert.station.ear.texts.play(try feed(hertz: 1500, seconds: 1))
    network.run(seconds: 0.7)
    #expect(level(1500) > 5 * low && low > 0)
  }
}
