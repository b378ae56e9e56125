import Remote
import StatusSchema
import Testing

@testable import TestRig

/// Keys that a MIDI device works, on a real JACK server.
@Suite(.serialized) struct MIDIKeyTests {
  private let directory: TemporaryDirectory
  private let server: JackServer
  private let node: NodeProcess

  init() throws {
    directory = try TemporaryDirectory(prefix: "comlink-test")
    server = try JackServer("comlink-midi", periodFrames: 256, in: directory)
    let ports = try LoopbackPorts.free(1)
    node = try NodeProcess("A", on: server, options: .init(port: ports[0]), in: directory)
    try node.waitUntilReady(within: 20)
    #expect(try node.ask(.talk(isOn: false)) == .ok)
  }

  private func set(_ name: String, midi: String?, latch: Int = 0) throws {
    var setting = KeySetting(name: name, lines: ["all"])
    (setting.midi, setting.latchMilliseconds) = (midi, latch)
    #expect(try node.ask(.key(.set(setting))) == .ok)
  }

  private func key(_ name: String) throws(RigError) -> KeyStatus? {
    try node.status().keys?.first { $0.name == name }
  }

  private func wait(
    _ what: String, within seconds: Double = 2, _ body: (KeyStatus) -> Bool
  ) throws {
    try waitUntil(what, within: seconds, interval: 0.02) { () throws(RigError) in
      try key("stage").map(body) ?? false
    }
  }

  /// The value that a lamp shows after all that comes until it shows it.
  private func wait(for device: MIDIDevice, toShow lamp: [UInt8]) throws {
    var all: [[UInt8]] = []
    try waitUntil("\(lamp)", within: 3, interval: 0.02, detail: { "\(all)" }) {
      all += device.take()
      return all.last { $0.prefix(2) == lamp.prefix(2) } == lamp
    }
  }

  @Test func `a note opens the gate while it sounds, and its lamp tells`() throws {
    #expect(try node.status().midi == nil)
    try set("stage", midi: "note 60 channel 2")
    let device = try MIDIDevice(server: server.name, name: "pads")
    try device.connect(to: node)
    try wait(for: device, toShow: [0x91, 60, 16])
    try device.send([[0x91, 60, 100]])
    try wait("the key to be held") { $0.isHeld && $0.tally == .talkListen }
    #expect(try node.status().node.talk)
    try wait(for: device, toShow: [0x91, 60, 127])
    // Another channel, another note, what is no message: nothing.
    try device.send([[0x80, 60, 0], [0x81, 61, 0], [0xF0, 0x7E, 0x7F, 0x09, 0xF7], [0x91, 60]])
    try device.send([[0x91, 60, 0]])
    try wait("the key to be let go of") { !$0.isHeld && $0.tally == .listen }
    #expect(try !node.status().node.talk)
    try wait(for: device, toShow: [0x91, 60, 16])

    let status = try #require(node.status().midi)
    #expect(status.sources == ["pads:keys"] && status.destinations == ["pads:lamps"])
    #expect(status.ignored == 2 && status.lost == 0 && status.problem == nil, "\(status)")
    #expect((1...2).contains(status.refused), "\(status)")
  }

  @Test func `a controller that latches is seen by a panel that comes later`() throws {
    try set("stage", midi: "cc 64", latch: 1000)
    let device = try MIDIDevice(server: server.name, name: "pedal")
    try device.connect(to: node)
    try wait(for: device, toShow: [0xB0, 64, 16])
    try device.send([[0xB0, 64, 127]])
    try wait("the key to be held") { $0.isHeld }
    try device.send([[0xB0, 64, 0]])
    try wait("the key to be latched") { $0.isLatched && !$0.isHeld }
    device.unplug()
    try waitUntil("its ports to go", within: 5) { () throws(RigError) in
      try node.status().midi?.sources == []
    }
    let panel = try MIDIDevice(server: server.name, name: "panel")
    try panel.connect(to: node)
    try wait(for: panel, toShow: [0xB0, 64, 127])
    // Without keys there are no ports.
    try set("stage", midi: nil)
    try waitUntil("the ports to go", within: 5) { () throws(RigError) in
      try node.status().midi == nil
    }
    #expect(throws: RigError.self) { try panel.connectKeys(to: node) }
  }

  @Test func `what a device holds is let go of within a second of its end, and does not latch`()
    throws
  {
    try set("stage", midi: "note 1", latch: 1000)
    for isUnplugged in [false, true] {
      let device = try MIDIDevice(server: server.name, name: "pads")
      try device.connect(to: node)
      // JACK hands over messages some periods after it has connected.
      try wait(for: device, toShow: [0x90, 1, 16])
      try device.send([[0x90, 1, 1]])
      try wait("the key to be held") { $0.isHeld }
      if isUnplugged { device.unplug() } else { try device.disconnectKeys(from: node) }
      try wait("the key to be let go of", within: 1) { !$0.isHeld }
      #expect(try key("stage")?.isLatched == false)
      device.unplug()
    }
  }

  @Test func `what a device holds is let go of where it is gone and back before anybody looks`()
    throws
  {
    try set("stage", midi: "note 1", latch: 1000)
    let device = try MIDIDevice(server: server.name, name: "pads")
    try device.connect(to: node)
    try wait(for: device, toShow: [0x90, 1, 16])
    for _ in 0..<10 {
      // JACK hands over messages some periods after it has connected.
      try waitUntil("the key to be held", within: 5, interval: 0.1) { () throws(RigError) in
        try device.send([[0x90, 1, 1]])
        pause(seconds: 0.05)
        return try key("stage")?.isHeld == true
      }
      try device.blinkKeys(at: node)
      try wait("the key to be let go of", within: 1) { !$0.isHeld }
      #expect(try key("stage")?.isLatched == false)
    }
  }

  @Test func `a flood of presses is counted, bounded, and leaves nothing held`() throws {
    try set("stage", midi: "note 1")
    let device = try MIDIDevice(server: server.name, name: "pads")
    try device.connect(to: node)
    try wait(for: device, toShow: [0x90, 1, 16])
    for _ in 0..<20 {
      try device.send((0..<30).flatMap { _ -> [[UInt8]] in [[0x90, 1, 1], [0x80, 1, 0]] })
      pause(seconds: 0.02)
    }
    try waitUntil(
      "the flood to be over", within: 10,
      detail: { "\(String(describing: try? node.status().midi))" }
    ) { () throws(RigError) in
      let midi = try node.status().midi
      return (midi?.refusedPresses ?? 0) > 100 && (midi?.received ?? 0) + (midi?.lost ?? 0) == 1200
    }
    try wait("nothing to be held") { !$0.isHeld && !$0.isLatched }
    // The device is heard again once it is still.
    try waitUntil("a press to be taken", within: 5, interval: 0.2) { () throws(RigError) in
      try device.send([[0x90, 1, 1]])
      pause(seconds: 0.1)
      let isHeld = try key("stage")?.isHeld == true
      try device.send([[0x80, 1, 0]])
      return isHeld
    }
    // More than a period's messages: some are lost, and one may have been the release.
    pause(seconds: 1)
    try device.send([[0x90, 1, 1]])
    try wait("the key to be held") { $0.isHeld }
    try device.send([[UInt8]](repeating: [0xB0, 7, 1], count: 400))
    try wait("the key to be let go of") { !$0.isHeld && !$0.isLatched }
    #expect(try node.status().midi?.lost ?? 0 > 0)
  }
}
