import Audio
import Lines
import Testing

@testable import Intercom

/// The sound of a call, in virtual time.
@Suite struct StationCallToneTests {
  private let network = VirtualNetwork()
  private let nodes: [VirtualNode]
  private let rig: LineRig
  private var anna: VirtualNode { nodes[0] }
  private var bert: VirtualNode { nodes[1] }

  init() throws {
    nodes = try ["Anna", "Bert", "Carl"].enumerated().map { index, name in
      try VirtualNode(name, at: .host(index + 1), beat: VirtualNode.Beat())
    }
    for node in nodes { network.add(node) }
    rig = LineRig(nodes, network)
    for node in nodes { for other in nodes where other !== node { try node.admit(other, network) } }
    for node in 0..<3 { try rig.change(node) { try $0.setTalk(false) } }
    network.run(seconds: 1)
  }

  private func call(_ other: Int) throws {
    try rig.change(0) { try $0.call(.member(nodes[other].node), nowNanoseconds: 0) }
  }

  private func endCall(_ other: Int) throws {
    try rig.change(0) { $0.endCall(.member(nodes[other].node)) }
  }

  /// What a node heard in the last seconds: the length of each sound in milliseconds, where silence of 20 ms parts two.
  private func sounds(_ node: VirtualNode, seconds: Double) -> [Double] {
    var (sounds, first, last): ([Double], Int?, Int) = ([], nil, 0)
    for (frame, sample) in node.heard.suffix(Int(seconds * 48_000)).enumerated() where sample != 0 {
      if let begin = first, frame - last > 960 {
        sounds.append(Double(last - begin) / 48)
        first = frame
      }
      if first == nil { first = frame }
      last = frame
    }
    if let first { sounds.append(Double(last - first) / 48) }
    return sounds
  }

  private func peak(_ node: VirtualNode, seconds: Double) -> Double {
    node.heard.suffix(Int(seconds * 48_000)).reduce(0) { max($0, Double(abs($1))) }
  }

  @Test func `it beeps twice a second at who is called, and nobody else hears it`() throws {
    #expect(bert.engine.openStereo(.recording))
    try call(1)
    network.run(seconds: 2)
    let found = sounds(bert, seconds: 2)
    #expect(found.count == 4 && found.allSatisfy { abs($0 - 250) < 15 }, "\(found)")
    // -12 dBFS, of which each side has 3 dB less.
    #expect(abs(peak(bert, seconds: 2) - 0.1776) < 0.005)
    #expect(abs(Tone(hertz: 880).level(in: bert.heard.suffix(24_000)) - 0.1776 * 0.46) < 0.01)
    for index in [0, 2] { #expect(peak(nodes[index], seconds: 2) == 0) }
    var recorded = [Float](repeating: 1, count: 2 * 96_000)
    var span = recorded.mutableSpan
    let frames = bert.engine.readStereo(.recording, into: &span)
    #expect(frames > 4800 && recorded.prefix(2 * frames).allSatisfy { $0 == 0 })
    let free = bert.station.slots.freeCount
    try rig.change(1) { try $0.press(.reply, nowNanoseconds: 0) }
    network.run(seconds: 0.5)
    network.run(seconds: 1)
    #expect(peak(bert, seconds: 1) == 0 && bert.station.slots.freeCount == free + 1)
    #expect(!bert.station.ear.isBusy)
  }

  @Test func `it comes and goes without a click, and a short call is one whole beep`() throws {
    try call(1)
    network.run(seconds: 0.05)
    try endCall(1)
    network.run(seconds: 1)
    let found = sounds(bert, seconds: 1.05)
    #expect(found.count == 1 && abs(found[0] - 250) < 15, "\(found)")
    var (steepest, last) = (Double(0), Float(0))
    for sample in bert.heard.suffix(60_000) {
      steepest = max(steepest, Double(abs(sample - last)))
      last = sample
    }
    // The tone itself at its loudest, and nothing more.
    let tone: Double = 0.1776 * 2 * Double.pi * 880 / 48_000
    #expect(steepest < 1.02 * tone)
  }

  @Test(arguments: [("off", 0.0), ("-32", 0.01776), ("0", 0.7071)])
  func `it is as loud as it is set`(setting: String, expected: Double) throws {
    try rig.change(1) { try $0.setEar(["call-tone": setting]) }
    try call(1)
    network.run(seconds: 1)
    #expect(abs(peak(bert, seconds: 1) - expected) < 0.03 * expected + 0.0001)
    try rig.change(1) { try $0.setEar(["call-tone": "-12", "volume": "-6"]) }
    network.run(seconds: 1)
    #expect(abs(peak(bert, seconds: 0.5) - 0.1776 * 0.5012) < 0.005)
    try rig.change(1) { try $0.setEar(["call-tone": "off"]) }
    network.run(seconds: 0.5)
    network.run(seconds: 1)
    #expect(peak(bert, seconds: 1) == 0 && !bert.station.ear.isBusy)
  }

  @Test func `a call that waits for a place of the mix is heard once there is one`() throws {
    var taken: [PeerSlot] = []
    while let slot = bert.station.slots.take() { taken.append(slot) }
    try call(1)
    network.run(seconds: 1)
    #expect(peak(bert, seconds: 1) == 0)
    for slot in taken { bert.station.slots.give(slot, hasPort: false) }
    network.run(seconds: 1)
    #expect(sounds(bert, seconds: 1).count >= 2)
  }

  @Test func `it goes on at another rate of JACK, and where JACK is gone it holds nothing`()
    throws
  {
    try call(1)
    network.run(seconds: 0.7)
    let free = bert.station.slots.freeCount
    bert.beat = VirtualNode.Beat(periodFrames: 256, sampleRate: 44_100)
    network.run(seconds: 2)
    #expect(peak(bert, seconds: 1) > 0.17)
    bert.beat = nil
    network.run(seconds: 0.5)
    try endCall(1)
    network.run(seconds: 0.5)
    #expect(bert.station.slots.freeCount == free + 1 && !bert.station.ear.isBusy)
  }

  @Test func `a thousand calls leave nothing behind`() throws {
    let free = bert.station.slots.freeCount
    for _ in 0..<1000 {
      bert.station.ear.callTone.follow(isCalled: true, decibels: -12)
      network.run(seconds: 0.01)
      bert.station.ear.callTone.follow(isCalled: false, decibels: -12)
      network.run(seconds: 0.01)
    }
    network.run(seconds: 1)
    #expect(bert.station.slots.freeCount == free && !bert.station.ear.isBusy)
  }
}
