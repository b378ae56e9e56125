import ControlSocket
import Foundation
import KeyDevices
import Keys
import Remote
import StatusSchema
import Synchronization
import Testing

@testable import comlink_keys

/// A box with a chip, a foot switch and an LED that are files, and a library that answers for the kernel.
private final class FakeBox: Sendable {
  let folder: TestFolder
  let library: String
  private let ends = Mutex<[String: Int32]>([:])

  init() async throws {
    folder = try TestFolder()
    library = "\(folder.path)/keys_devices.so"
    for name in ["dev/input", "sys/class/leds/ACT", "names", "grabbed", "lines", "level"] {
      try FileManager.default.createDirectory(
        atPath: "\(folder.path)/\(name)", withIntermediateDirectories: true)
    }
    try write("0", to: "sys/class/leds/ACT/brightness")
    try write("255\n", to: "sys/class/leds/ACT/max_brightness")
    try write("none [mmc0] timer\n", to: "sys/class/leds/ACT/trigger")
    try write("", to: "dev/gpiochip0")
    let source = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../Interposer/keys_devices.c").standardized.path
    let built = try await Program.run(
      "/usr/bin/cc", ["-std=gnu17", "-O2", "-fPIC", "-shared", "-o", library, source],
      environment: ["PATH": "/usr/bin:/bin"])
    try #require(built.code == 0, "\(built.complaint)")
  }

  deinit { for end in ends.withLock({ $0.values }) { close(end) } }

  func path(_ name: String) -> String { "\(folder.path)/\(name)" }

  func write(_ text: String, to name: String) throws {
    try text.write(toFile: path(name), atomically: false, encoding: .utf8)
  }

  func text(_ name: String) -> String {
    (try? String(contentsOfFile: path(name), encoding: .utf8)) ?? ""
  }

  /// The brightness as it is written over what was there, as the kernel takes it.
  var brightness: String { String(text("sys/class/leds/ACT/brightness").prefix { $0 != "\n" }) }

  /// A FIFO that events are written into.
  func plug(_ name: String) {
    unsafe mkfifo(path(name), 0o600)
    let end = unsafe open(path(name), O_RDWR | O_NONBLOCK | O_CLOEXEC)
    ends.withLock { $0[name] = end }
  }

  func unplug(_ name: String) {
    unsafe unlink(path(name))
    if let end = ends.withLock({ $0.removeValue(forKey: name) }) { close(end) }
  }

  func say(_ name: String, _ bytes: [UInt8]) {
    guard let end = ends.withLock({ $0[name] }) else { return }
    unsafe Foundation.write(end, bytes, bytes.count)
  }

  func edge(isActive: Bool, _ number: UInt32) {
    edges(to: isActive, [(isActive, now())], from: number)
  }

  /// Nine edges within 5 ms, told at once, so that a busy machine makes no more of them.
  func bounce(to isActive: Bool) {
    let start = now()
    edges(
      to: isActive,
      (0..<9).map { (edge: Int) -> (isActive: Bool, time: Duration) in
        (edge.isMultiple(of: 2) == isActive, start + .microseconds(edge * 600 - 4800))
      }, from: 1)
  }

  /// `struct gpio_v2_line_event`: time, edge (1 active, 2 not), offset, numbers.
  private func edges(to level: Bool, _ edges: [(isActive: Bool, time: Duration)], from: UInt32) {
    try? write(level ? "1" : "0", to: "level/17")
    let events = edges.enumerated().flatMap { index, edge in
      let number = from + UInt32(index)
      return Self.octets(UInt64(edge.time / .nanoseconds(1)))
        + [edge.isActive ? 1 : 2, 17, number, number].flatMap(Self.octets)
        + [UInt8](repeating: 0, count: 24)
    }
    say("lines/17", events)
  }

  /// `struct input_event`: seconds, microseconds, type, code, value; and its report.
  func stroke(_ code: UInt16, isDown: Bool) {
    try? write(isDown ? "\(code)" : "0", to: "level/event0")
    let microseconds = UInt64(now() / .microseconds(1))
    let time = Self.octets(microseconds / 1_000_000) + Self.octets(microseconds % 1_000_000)
    let key = Self.octets(UInt16(1)) + Self.octets(code) + Self.octets(UInt32(isDown ? 1 : 0))
    say("dev/input/event0", time + key + time + [UInt8](repeating: 0, count: 8))
  }

  private static func octets(_ number: some FixedWidthInteger) -> [UInt8] {
    (0..<number.bitWidth / 8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
  }
}

/// A station with keys that does what is asked, and shows it.
///
/// Its clock goes on, as one's that stands still is given up.
private final class KeyedNode: ControlHandler {
  private struct State {
    var keys: [KeyStatus]
    /// Presses and releases, as `+all` and `-all`.
    var asked: [String] = []
    var holders: Set<String> = []
    /// When each holder that holds was heard of.
    var heard: [String: Duration] = [:]
    /// The longest that a holder was silent while it held.
    var silence = Duration.zero

    mutating func note(_ holder: String) {
      holders.insert(holder)
      let time = now()
      guard let former = heard.updateValue(time, forKey: holder) else { return }
      silence = max(silence, time - former)
    }

    mutating func set(_ name: String, isHeld: Bool) -> Bool {
      guard let number = keys.firstIndex(where: { $0.name == name }) else { return false }
      keys[number].isHeld = isHeld
      keys[number].tally = isHeld ? .talk : .off
      return true
    }
  }

  private let state: Mutex<State>

  init(_ keys: [String: String] = ["all": "all"], latchMilliseconds: Int = 0) {
    let keys = keys.sorted { $0.key < $1.key }.map {
      KeyStatus(
        name: $0.key, lines: [$0.value], activation: "talk", latchMilliseconds: latchMilliseconds)
    }
    state = Mutex(State(keys: keys))
  }

  var asked: [String] { state.withLock { $0.asked } }
  var holders: Set<String> { state.withLock { $0.holders } }
  var silence: Duration { state.withLock { $0.silence } }

  /// Somebody talks on the lines of a key.
  func talk(on name: String) {
    state.withLock { state in
      for number in state.keys.indices where state.keys[number].name == name {
        state.keys[number].isPresent = true
      }
    }
  }

  func handle(_ request: ControlRequest) async -> ControlResponse {
    guard case .key(let request) = request else { return .error(message: "not here") }
    return state.withLock { state in
      switch request {
      case .press(let key, let holder?):
        guard state.set(key, isHeld: true) else {
          return .error(message: "no key is called \(key)")
        }
        state.note(holder)
        state.asked.append("+\(key)")
      case .release(let key, let holder?, _):
        guard state.set(key, isHeld: false) else {
          return .error(message: "no key is called \(key)")
        }
        state.heard[holder] = nil
        state.asked.append("-\(key)")
      case .hold(let holder): state.note(holder)
      default: return .error(message: "not here")
      }
      return .ok
    }
  }

  func pictures() -> AsyncStream<NodePicture>? {
    let (stream, continuation) = AsyncStream.makeStream(
      of: NodePicture.self, bufferingPolicy: .bufferingNewest(1))
    let clock = Task {
      var former: NodePicture?
      for tick: UInt64 in 1... {
        var status = TickingNode().status
        status.node.uptimeSeconds = Double(tick) / 50
        status.keys = state.withLock { $0.keys }
        let picture = NodePicture(
          StatusDocument(status, number: tick), NodeLevels(status), after: former)
        continuation.yield(picture)
        former = picture
        guard (try? await Task.sleep(for: .milliseconds(20))) != nil else { return }
      }
    }
    continuation.onTermination = { _ in clock.cancel() }
    return stream
  }
}

/// The whole program: buttons on descriptors, a station at a socket, an LED in a file.
@Suite(.timeLimit(.minutes(2))) struct KeysProgramTests {
  private static let b = UInt16(48)

  private func program(_ box: FakeBox, _ arguments: [String] = []) throws -> Program {
    try Program(
      "comlink-keys",
      ["--config", box.path("keys.toml"), "--control", box.path("c.sock"), "--devices"]
        + [box.folder.path] + arguments,
      environment: ["LD_PRELOAD": box.library, "COMLINK_FAKE": box.folder.path])
  }

  /// A busy machine may take its time.
  private func eventually(
    _ words: Comment, _ isSo: () -> Bool, at place: SourceLocation = #_sourceLocation
  ) async throws {
    for _ in 0..<3000 {
      if isSo() { return }
      try await Task.sleep(for: .milliseconds(10))
    }
    Issue.record(words, sourceLocation: place)
    throw CancellationError()
  }

  private static let panel = """
    [[button]]
    key = "talk"
    gpio = "GPIO17"
    [[button]]
    key = "talk"
    device = "Pedal*"
    code = "KEY_B"
    [[lamp]]
    key = "talk"
    led = "ACT"
    [[relay]]
    follows = "talk"
    gpio = "GPIO5"
    """

  @Test func `buttons and foot switches open the microphone, lamp and relay show it`() async throws
  {
    let (box, node) = (try await FakeBox(), KeyedNode())
    try box.write(Self.panel, to: "keys.toml")
    try box.write("Pedal Keyboard\0", to: "names/event0")
    box.plug("lines/17")
    let server = try ControlServer(path: box.path("c.sock"), handler: node)
    defer { server.stop() }
    let program = try program(box)
    try await eventually("the lamp is not dim") { box.brightness == "15" }

    box.edge(isActive: true, 1)
    try await eventually("the lamp does not show talk") { box.brightness == "255" }
    #expect(node.asked == ["+all"])
    #expect(box.text("lines/5").last == "1")
    box.edge(isActive: false, 2)
    try await eventually("the lamp still shows talk") { box.brightness == "15" }
    #expect(node.asked == ["+all", "-all"])
    try await eventually("the relay is closed") { box.text("lines/5").last == "0" }

    box.plug("dev/input/event0")
    try await eventually("the pedal was not taken") {
      FileManager.default.fileExists(atPath: box.path("grabbed/event0"))
    }
    box.stroke(Self.b, isDown: true)
    try await eventually("the pedal does not talk") { node.asked == ["+all", "-all", "+all"] }
    box.unplug("dev/input/event0")
    try await eventually("unplugged, it still talks") { node.asked.last == "-all" }
    try await eventually("the lamp still shows talk") { box.brightness == "15" }

    kill(program.identifier, SIGTERM)
    let outcome = try await program.outcome()
    #expect(outcome.code == 0, "\(outcome.complaint)")
    #expect(box.brightness == "0")
    #expect(box.text("sys/class/leds/ACT/trigger").hasPrefix("mmc0"))
    #expect(outcome.complaint.contains("uses Pedal Keyboard"))
    #expect(outcome.complaint.contains("event=device-gone"))
  }

  @Test func `a press that bounces for 5 ms counts once`() async throws {
    let (box, node) = (try await FakeBox(), KeyedNode())
    try box.write(Self.panel, to: "keys.toml")
    box.plug("lines/17")
    let server = try ControlServer(path: box.path("c.sock"), handler: node)
    defer { server.stop() }
    let program = try program(box)
    try await eventually("the lamp is not dim") { box.brightness == "15" }
    for press in 0..<10 {
      for isPressed in [true, false] {
        box.bounce(to: isPressed)
        let count = press * 2 + (isPressed ? 1 : 2)
        try await eventually("not heard") { node.asked.count >= count }
        try await Task.sleep(for: .milliseconds(30))
        #expect(node.asked.count == count)
      }
    }
    #expect(node.asked == (0..<20).map { $0 % 2 == 0 ? "+all" : "-all" })
    kill(program.identifier, SIGINT)
    #expect(try await program.outcome().code == 0)
  }

  @Test func `a station that restarts is called again, and what is held is pressed`() async throws {
    let (box, node) = (try await FakeBox(), KeyedNode())
    try box.write(Self.panel, to: "keys.toml")
    box.plug("lines/17")
    let first = try ControlServer(path: box.path("c.sock"), handler: node)
    let program = try program(box)
    try await eventually("the lamp is not dim") { box.brightness == "15" }
    box.edge(isActive: true, 1)
    try await eventually("it does not talk") { box.brightness == "255" }
    first.stop()
    try await eventually("nobody says that the station is away") {
      program.complaint.contains("event=station-away")
    }
    let successor = KeyedNode()
    let second = try ControlServer(path: box.path("c.sock"), handler: successor)
    defer { second.stop() }
    try await eventually("what is held is not pressed again") { successor.asked == ["+all"] }
    kill(program.identifier, SIGTERM)
    #expect(try await program.outcome().code == 0)
    #expect(successor.asked == ["+all", "-all"])
    // What the former connection held is nobody's.
    #expect(node.holders.isDisjoint(with: successor.holders))
  }

  @Test func `a named key is pressed by its name, and its lamp shows that key alone`() async throws
  {
    let (box, node) = (try await FakeBox(), KeyedNode(["all": "all", "Stage": "Stage"]))
    try box.write(
      """
      [[button]]
      key = "stage"
      gpio = "GPIO17"
      [[lamp]]
      key = "stage"
      led = "ACT"
      [[relay]]
      follows = "talk"
      key = "all"
      gpio = "GPIO5"
      """, to: "keys.toml")
    box.plug("lines/17")
    let server = try ControlServer(path: box.path("c.sock"), handler: node)
    defer { server.stop() }
    let program = try program(box)
    try await eventually("the lamp is not dim") { box.brightness == "15" }
    box.edge(isActive: true, 1)
    try await eventually("the lamp does not show talk") { box.brightness == "255" }
    #expect(node.asked == ["+Stage"])
    #expect(box.text("lines/5").last != "1")
    box.edge(isActive: false, 2)
    try await eventually("the lamp still shows talk") { box.brightness == "15" }
    #expect(node.asked == ["+Stage", "-Stage"])
    node.talk(on: "Stage")
    try await eventually("the lamp does not show who talks") { box.brightness == "255" }
    kill(program.identifier, SIGTERM)
    #expect(try await program.outcome().code == 0)
  }

  @Test func `talk is the key of line all, whatever that is called`() async throws {
    let (box, node) = (try await FakeBox(), KeyedNode(["door": "all", "stage": "stage"]))
    try box.write(Self.panel, to: "keys.toml")
    box.plug("lines/17")
    let server = try ControlServer(path: box.path("c.sock"), handler: node)
    defer { server.stop() }
    let program = try program(box)
    try await eventually("the lamp is not dim") { box.brightness == "15" }
    box.edge(isActive: true, 1)
    try await eventually("the lamp does not show talk") { box.brightness == "255" }
    #expect(node.asked == ["+door"])
    kill(program.identifier, SIGTERM)
    #expect(try await program.outcome().code == 0)
    #expect(node.asked == ["+door", "-door"])
  }

  /// The station lets go of what a holder holds that is silent for a second (LineDeskTests).
  @Test func `it says that it is there while a key is held, and a killed one says nothing`()
    async throws
  {
    let (box, node) = (try await FakeBox(), KeyedNode())
    try box.write(Self.panel, to: "keys.toml")
    box.plug("lines/17")
    let server = try ControlServer(path: box.path("c.sock"), handler: node)
    defer { server.stop() }
    let program = try program(box)
    try await eventually("the lamp is not dim") { box.brightness == "15" }
    box.edge(isActive: true, 1)
    try await eventually("nothing was said while it holds") { node.silence > .milliseconds(200) }
    kill(program.identifier, SIGKILL)
    _ = try await program.outcome()
    #expect(node.asked == ["+all"])
    #expect(node.holders == ["comlink-keys \(program.identifier).1"])
  }

  @Test func `a foot switch that is unplugged within the latch time does not latch`() async throws {
    let (box, node) = (try await FakeBox(), KeyedNode(latchMilliseconds: 1000))
    try box.write(Self.panel, to: "keys.toml")
    try box.write("Pedal Keyboard\0", to: "names/event0")
    box.plug("lines/17")
    box.plug("dev/input/event0")
    let server = try ControlServer(path: box.path("c.sock"), handler: node)
    defer { server.stop() }
    let program = try program(box)
    try await eventually("the lamp is not dim") { box.brightness == "15" }
    let start = now()
    box.stroke(Self.b, isDown: true)
    try await eventually("the pedal does not talk") { node.asked == ["+all"] }
    box.unplug("dev/input/event0")
    try await eventually("unplugged, it still talks") { node.asked == ["+all", "-all"] }
    #expect(now() - start > .seconds(1))
    kill(program.identifier, SIGTERM)
    #expect(try await program.outcome().code == 0)
  }

  @Test func `a key that the station does not have is told once`() async throws {
    let (box, node) = (try await FakeBox(), KeyedNode())
    try box.write("[[button]]\nkey = \"stage\"\ngpio = \"GPIO17\"\n", to: "keys.toml")
    box.plug("lines/17")
    let server = try ControlServer(path: box.path("c.sock"), handler: node)
    defer { server.stop() }
    let program = try program(box)
    try await eventually("no station") { program.complaint.contains("event=station-there") }
    for edge in 0..<6 {
      box.edge(isActive: edge % 2 == 0, UInt32(edge))
      try await Task.sleep(for: .milliseconds(30))
    }
    try await eventually("not told") { program.complaint.contains("event=key-refused") }
    kill(program.identifier, SIGTERM)
    let outcome = try await program.outcome()
    #expect(outcome.complaint.split(separator: "\n").count { $0.contains("key-refused") } == 1)
    #expect(node.asked == [])
  }

  @Test func `an empty file is no mistake, a wrong one is`() async throws {
    let box = try await FakeBox()
    try box.write("# nothing\n", to: "keys.toml")
    #expect(try await program(box).outcome().code == 0)
    try box.write("[[button]]\n", to: "keys.toml")
    let wrong = try await program(box).outcome()
    #expect(wrong.code == 78)
    #expect(wrong.complaint.contains("keys.toml:1: button: key is missing"))
    unsafe unlink(box.path("keys.toml"))
    #expect(try await program(box).outcome().code == 78)
  }

  @Test func `--check tells what is there and what is not`() async throws {
    let box = try await FakeBox()
    try box.write(Self.panel, to: "keys.toml")
    box.plug("lines/17")
    let outcome = try await program(box, ["--check"]).outcome()
    #expect(outcome.code == 1)
    #expect(outcome.output.contains("ok       GPIO17 (gpiochip0, fake-pins)\n"))
    #expect(outcome.output.contains("advice   Pedal*: not plugged in; used once it is\n"))
  }

  /// As somebody in a terminal starts it, as a shell does in the background, and as a thread that holds all signals.
  @Test(arguments: [[], ["--ignore-signal=INT"], ["--block-signal=INT"]])
  func `comlink keys learn tells what a pedal is called, until SIGINT`(
    env: [String]
  ) async throws {
    let box = try await FakeBox()
    try box.write("Pedal Keyboard\0", to: "names/event0")
    box.plug("dev/input/event0")
    let program = try Program(
      "/usr/bin/env",
      env + [
        Program.path(of: "comlink"), "keys", "learn", "--devices", box.folder.path,
        "--seconds", "60",
      ],
      environment: ["LD_PRELOAD": box.library, "COMLINK_FAKE": box.folder.path])
    try await eventually("it does not listen") { program.complaint.contains("Pedal Keyboard") }
    for isDown in [true, false, true] { box.stroke(Self.b, isDown: isDown) }
    let lines = "[[button]]\nkey = \"talk\"\ndevice = \"Pedal Keyboard\"\ncode = \"KEY_B\"\n\n"
    try await eventually("not told") { program.output == lines }
    #expect(try KeysFile(text: program.output, path: "/k.toml").settings.buttons.count == 1)
    kill(program.identifier, SIGINT)
    #expect(try await program.outcome().code == 128 + SIGINT)
  }
}
