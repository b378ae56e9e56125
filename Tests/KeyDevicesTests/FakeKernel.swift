import CEvdev
import CGPIO
import Glibc
import Keys
import Synchronization

@testable import KeyDevices

/// Devices of a machine that there is not: a folder with their names, and socket pairs in place of what they say.
final class FakeKernel: Sendable {
  /// An input device.
  struct Input {
    var name: String
    var down: Set<UInt16> = []
    var isTaken = false
    var openError: Int32?
  }

  /// A GPIO chip.
  struct Chip {
    var label: String
    var lines: [LineFacts]
    var requestError: Int32?
    var active: Set<UInt32> = []
  }

  private struct State {
    var inputs: [String: Input] = [:]
    var chips: [String: Chip] = [:]
    /// The kernel's ends, which the station reads, by descriptor.
    var paths: [Int32: String] = [:]
    /// The tests' ends.
    var ends: [String: Int32] = [:]
    var offsets: [Int32: UInt32] = [:]
    var uses: [String: LineUse] = [:]
    var outputs: [String: [Bool]] = [:]
    var opened = 0
  }

  let root: String
  private let state = Mutex(State())

  init() {
    var template = Array("/tmp/comlink-keys-XXXXXX".utf8CString)
    precondition(unsafe mkdtemp(&template) != nil, "no room in /tmp")
    root = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    for folder in ["/dev", "/dev/input", "/sys", "/sys/class", "/sys/class/leds"] {
      unsafe mkdir(root + folder, 0o755)
    }
  }

  deinit { Self.remove(root) }

  var places: DevicePlaces { DevicePlaces(root: root) }

  var calls: DeviceCalls {
    DeviceCalls(
      open: { self.open($0) },
      inputName: { device in self.with(device) { $0.inputs[$1]?.name } },
      keysDown: { device in
        self.with(device) { state, path in state.inputs[path].map { KeySet($0.down) } }
      },
      keys: { device in
        self.with(device) { state, path in
          state.inputs[path].map { _ in KeySet([KeyCode.code(of: "KEY_B") ?? 0]) }
        }
      },
      grab: { device, _ in
        self.with(device) { state, path in state.inputs[path]?.isTaken == true ? -Int(EBUSY) : 0 }
          ?? -1
      },
      chip: { chip in
        self.with(chip) { state, path in
          state.chips[path].map { ($0.label, UInt32($0.lines.count)) }
        }
      },
      line: { chip, offset in
        self.with(chip) { state, path in state.chips[path]?.lines[Int(offset)] }
      },
      request: { self.request($0, $1, $2) },
      isActive: { line in
        self.with(line) { state, path in
          guard let offset = state.offsets[line] else { return -Int(EINVAL) }
          return state.chips[path]?.active.contains(offset) == true ? 1 : 0
        } ?? -Int(EBADF)
      },
      set: { line, isActive in
        self.with(line) { state, path in
          guard let offset = state.offsets[line] else { return -Int(EINVAL) }
          state.outputs["\(path):\(offset)", default: []].append(isActive)
          return 0
        } ?? -Int(EBADF)
      })
  }

  // MARK: what a test does

  func plug(_ node: String, _ input: Input) {
    state.withLock { $0.inputs["\(root)/dev/input/\(node)"] = input }
    write("", to: "/dev/input/\(node)")
  }

  func change(_ node: String, _ change: (inout Input) -> Void) {
    state.withLock { state in
      state.inputs["\(root)/dev/input/\(node)"].map {
        var input = $0
        change(&input)
        state.inputs["\(root)/dev/input/\(node)"] = input
      }
    }
  }

  /// As the kernel does it: reading fails, and the node goes.
  func unplug(_ node: String) {
    let path = "\(root)/dev/input/\(node)"
    state.withLock { state in
      state.inputs[path] = nil
      if let end = state.ends.removeValue(forKey: path) { close(end) }
    }
    unsafe unlink(path)
  }

  func add(_ node: String, _ chip: Chip) {
    state.withLock { $0.chips["\(root)/dev/\(node)"] = chip }
    write("", to: "/dev/\(node)")
  }

  func change(chip node: String, _ change: (inout Chip) -> Void) {
    state.withLock { state in
      guard var chip = state.chips["\(root)/dev/\(node)"] else { return }
      change(&chip)
      state.chips["\(root)/dev/\(node)"] = chip
    }
  }

  /// Octets that a device or a line says.
  func say(_ node: String, _ bytes: [UInt8]) {
    guard let end = state.withLock({ $0.ends["\(root)/dev/\(node)"] }) else { return }
    unsafe send(end, bytes, bytes.count, Int32(MSG_NOSIGNAL))
  }

  func event(_ type: Int, _ code: UInt16, _ value: Int32, at time: Duration = now()) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: Int(EVDEV_EVENT_BYTES))
    let event = evdev_event(
      nanoseconds: Int64(time / .nanoseconds(1)), type: UInt16(type), code: code, value: value)
    unsafe evdev_encode(event, &bytes)
    return bytes
  }

  /// A stroke with its report.
  func stroke(_ code: UInt16, isDown: Bool) -> [UInt8] {
    event(EVDEV_KEY, code, isDown ? 1 : 0) + event(EVDEV_SYNC, 0, 0)
  }

  func edge(_ isActive: Int32, number: UInt32, at time: Duration = now()) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: Int(GPIO_EVENT_BYTES))
    let edge = gpio_edge(
      nanoseconds: Int64(time / .nanoseconds(1)), is_active: isActive, number: number)
    unsafe gpio_encode(edge, &bytes)
    return bytes
  }

  func write(_ text: String, to path: String) {
    let file = unsafe Glibc.open(root + path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    unsafe Glibc.write(file, text, text.utf8.count)
    close(file)
  }

  func text(of path: String) -> String {
    let file = unsafe Glibc.open(root + path, O_RDONLY | O_CLOEXEC)
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = unsafe read(file, &bytes, bytes.count)
    return String(decoding: bytes[..<max(0, count)], as: UTF8.self)
  }

  func light(_ name: String, most: Int, trigger: String) {
    unsafe mkdir("\(root)/sys/class/leds/\(name)", 0o755)
    write("0\n", to: "/sys/class/leds/\(name)/brightness")
    write("\(most)\n", to: "/sys/class/leds/\(name)/max_brightness")
    write(trigger, to: "/sys/class/leds/\(name)/trigger")
  }

  /// How often a device was opened.
  var openCount: Int { state.withLock { $0.opened } }

  func use(of line: String) -> LineUse? { state.withLock { $0.uses["\(root)/dev/\(line)"] } }

  func outputs(of line: String) -> [Bool] {
    state.withLock { $0.outputs["\(root)/dev/\(line)"] ?? [] }
  }

  // MARK: what the kernel does

  private func open(_ path: String) -> Int {
    state.withLock { state in
      state.opened += 1
      if let code = state.inputs[path]?.openError { return -Int(code) }
      guard state.inputs[path] != nil || state.chips[path] != nil else { return -Int(ENOENT) }
      return Int(Self.pair(&state, path, path))
    }
  }

  private func request(_ chip: Int32, _ offset: UInt32, _ use: LineUse) -> Int {
    state.withLock { state in
      guard let path = state.paths[chip], let facts = state.chips[path] else { return -Int(EBADF) }
      if let code = facts.requestError { return -Int(code) }
      let line = Self.pair(&state, path, "\(path):\(offset)")
      state.offsets[line] = offset
      state.uses["\(path):\(offset)"] = use
      return Int(line)
    }
  }

  private func with<Answer: Sendable>(
    _ descriptor: Int32, _ body: @Sendable (inout State, String) -> Answer?
  ) -> Answer? {
    state.withLock { state in state.paths[descriptor].flatMap { body(&state, $0) } }
  }

  private static func pair(_ state: inout State, _ path: String, _ end: String) -> Int32 {
    var pair: [Int32] = [-1, -1]
    let flags = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    precondition(unsafe socketpair(AF_UNIX, flags, 0, &pair) == 0, "no sockets")
    if let former = state.ends.updateValue(pair[1], forKey: end) { close(former) }
    state.paths[pair[0]] = path
    return pair[0]
  }

  private static func remove(_ path: String) {
    for name in names(in: path) { remove("\(path)/\(name)") }
    if unsafe unlink(path) != 0 { unsafe rmdir(path) }
  }
}
