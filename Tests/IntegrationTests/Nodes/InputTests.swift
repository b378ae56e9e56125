import Remote
import StatusSchema
import Testing

@testable import TestRig

/// Inputs beside the microphone and buses with ports of their own, on real JACK servers.
@Suite(.serialized) struct InputTests {
  private func level(_ ear: Probe, _ input: Int) -> Double {
    let heard = ear.recording(input).suffix(24_000)
    let sum = heard.reduce(0) { $0 + Double($1) * Double($1) }
    return (sum / Double(max(heard.count, 1))).squareRoot()
  }

  /// The sound of the next two seconds at each of the ear's inputs.
  private func listen(_ ear: Probe) throws(RigError) -> [Double] {
    try ear.start()
    defer { ear.stop() }
    try waitUntil("two seconds of sound", within: 60) { () throws(RigError) in
      ear.recordedFrames > 2 * 48_000
    }
    return (0..<3).map { level(ear, $0) }
  }

  @Test(arguments: [false, true])
  func `a four-wire line is heard at a port and on the buses that have it`(
    isViaPlugin: Bool
  ) throws {
    let directory = try TemporaryDirectory(prefix: "comlink-test")
    let ports = try LoopbackPorts.free(2)
    var (a, b) = (NodeProcess.Options(port: ports[0]), NodeProcess.Options(port: ports[1]))
    a.arguments = ["--program", "stereo", "--input", "desk", "--peer", "127.0.0.1:\(ports[1])"]
    b.arguments = ["--bus", "foh", "--bus", "ifb=-A"]
    let talker = try Station(
      "A", periodFrames: 256, options: a, recordSeconds: 30, isViaPlugin: isViaPlugin,
      in: directory)
    let listener = try Station(
      "B", periodFrames: 256, options: b, recordSeconds: 30, isViaPlugin: isViaPlugin,
      in: directory)
    try talker.node.waitUntilConnected(peers: 1, within: 60)
    #expect(try talker.node.ask(.talk(isOn: false)) == .ok)
    try talker.mouth.setSource(Speech.tone(hertz: 440, level: 0.3), loops: true)
    for port in ["program_left", "program_right", "in_desk"] {
      try talker.mouth.waitForPort(talker.node.port(port), within: 10)
    }
    try talker.mouth.connect("mouth:out_0", to: talker.node.port("in_desk"))
    try talker.mouth.start()
    try listener.listen(to: ["peer_A desk", "bus_foh", "bus_ifb"])
    try waitUntil("the line is heard", within: 60) { () throws(RigError) in
      let streams = try listener.node.status().peers.first?.streams ?? []
      return streams.contains { $0.name == "desk" && $0.isTalking && $0.received > 100 }
    }
    var heard = try listen(listener.ear)
    #expect(heard[0] > 0.1 && heard[1] > 0.1 && heard[2] == 0, "\(heard)")
    let inputs = try #require(try talker.node.status().inputs)
    #expect(inputs.map(\.name) == ["program", "desk"])
    #expect(inputs.map(\.isTalking) == [false, true])
    #expect(try #require(listener.node.status().peers.first).isTalking == false)

    #expect(try listener.node.ask(.patch(.bus(name: "ifb", peer: "A", decibels: 0))) == .ok)
    #expect(try listener.node.ask(.patch(.bus(name: "foh", peer: nil, decibels: nil))) == .ok)
    heard = try listen(listener.ear)
    #expect(heard[0] > 0.1 && heard[1] == 0 && heard[2] > 0.1, "\(heard)")

    #expect(try talker.node.ask(.patch(.input(name: "desk", isOn: false))) == .ok)
    heard = try listen(listener.ear)
    #expect(heard.allSatisfy { $0 < 0.001 }, "\(heard)")
  }
}
