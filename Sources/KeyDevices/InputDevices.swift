internal import Glibc
public import Keys
internal import System

/// The input devices that buttons of a panel are on, as they come and go.
///
/// A device is one of `/dev/input/event*` whose name, or path, a button asks for. It is taken from all others unless
/// one of its buttons says not to, so that a foot switch does not type on the console. Several devices of one name
/// press the same buttons.
public struct InputDevices {
  private struct Wish {
    var button: Int
    var settings: InputSettings
    var pattern: NamePattern
  }

  private struct Open {
    var device: InputDevice
    var wishes: [Wish]
    /// Buttons that are down on this device.
    var down: Set<Int> = []
  }

  private let folder: String
  private let calls: DeviceCalls
  private let wishes: [Wish]
  private let watch: FolderWatch?
  private var open: [Open] = []
  /// Devices that no button asks for, by path and inode: they are not opened again.
  private var foreign: Set<String> = []
  /// What was told, and holds.
  private var told: Set<String> = []

  /// The devices in a folder; none is opened before the first ``scan()``.
  public init(_ buttons: [ButtonSettings], folder: String, calls: DeviceCalls = .ofThisKernel) {
    self.folder = folder
    self.calls = calls
    wishes = buttons.enumerated().compactMap { number, button in
      guard case .input(let settings) = button.contact else { return nil }
      return Wish(button: number, settings: settings, pattern: NamePattern(settings.device))
    }
    watch = wishes.isEmpty ? nil : FolderWatch(folder)
  }

  /// Whether a button has no device.
  public var isIncomplete: Bool { !missing.isEmpty }

  /// Devices that buttons ask for and that are not there, as they ask for them.
  public var missing: [String] {
    let names = wishes.filter { wish in
      !open.contains { $0.wishes.contains { $0.button == wish.button } }
    }
    return Set(names.map(\.settings.device)).sorted()
  }

  /// What is to be waited for.
  public var descriptors: [Int32] {
    (watch?.descriptor.map { [$0] } ?? []) + open.map(\.device.number)
  }

  /// Opens devices that are there and wanted.
  public mutating func scan() -> [DeviceEvent] {
    guard !wishes.isEmpty else { return [] }
    var events: [DeviceEvent] = []
    var seen: Set<String> = []
    for name in names(in: folder) where name.hasPrefix("event") {
      let path = "\(folder)/\(name)"
      guard let mark = Self.mark(of: path) else { continue }
      seen.insert(mark)
      // A link that a button asks for may have come later than the device.
      let isWanted = !foreign.contains(mark) || wishes.contains { isPath($0.settings.device, path) }
      guard isWanted, !open.contains(where: { $0.device.path == path }) else { continue }
      events += add(path, mark)
    }
    foreign.formIntersection(seen)
    return events
  }

  /// Takes what a descriptor has; nothing of one that is none of these.
  public mutating func read(_ descriptor: Int32, now: Duration) -> [DeviceEvent] {
    if descriptor == watch?.descriptor {
      watch?.drain()
      return scan()
    }
    guard let index = open.firstIndex(where: { $0.device.number == descriptor }) else { return [] }
    guard let strokes = open[index].device.read(now: now) else { return remove(index) }
    return strokes.flatMap { take($0, of: index) }
  }

  /// What a button says now; nil: it is none of these, or its device does not tell.
  public func isClosed(button: Int) -> Bool? {
    var answer: Bool?
    for entry in open {
      for wish in entry.wishes where wish.button == button {
        guard let isDown = entry.device.isDown(wish.settings.code) else { continue }
        answer = answer == true || isDown
      }
    }
    return answer
  }

  private mutating func add(_ path: String, _ mark: String) -> [DeviceEvent] {
    let opened = calls.open(path)
    if let code = SystemCall.code(opened) {
      // Between its making and its rights, or gone again: the watch tells of both.
      guard code == EACCES || code == EPERM else { return [] }
      return refuse("no permission to read \(path): add the user to the group input")
    }
    let descriptor = Descriptor(owning: Int32(opened))
    guard let name = calls.inputName(descriptor.number) else {
      foreign.insert(mark)
      return []
    }
    let wanted = wishes.filter { $0.pattern.matches(name) || isPath($0.settings.device, path) }
    guard !wanted.isEmpty else {
      foreign.insert(mark)
      return []
    }
    let device = InputDevice(
      descriptor, path: path, name: name, codes: Set(wanted.map(\.settings.code)), calls: calls)
    if wanted.allSatisfy(\.settings.isGrabbed), calls.grab(device.number, true) < 0 {
      return refuse("another program has \(name) (\(path)) for itself: end it, or set grab = false")
    }
    told = told.filter { !$0.contains(path) }
    open.append(Open(device: device, wishes: wanted))
    let held = device.held(at: now()).filter(\.isDown)
    return [.found("\(name) (\(path))")] + held.flatMap { take($0, of: open.count - 1) }
  }

  private mutating func take(_ stroke: InputDevice.Stroke, of index: Int) -> [DeviceEvent] {
    var events: [DeviceEvent] = []
    for wish in open[index].wishes where wish.settings.code == stroke.code {
      if stroke.isDown {
        open[index].down.insert(wish.button)
      } else {
        open[index].down.remove(wish.button)
      }
      let isClosed = open.contains { $0.down.contains(wish.button) }
      events.append(.button(wish.button, isClosed: isClosed, at: stroke.time))
    }
    return events
  }

  private mutating func remove(_ index: Int) -> [DeviceEvent] {
    let gone = open.remove(at: index)
    let lost = Set(gone.wishes.map(\.button)).sorted().filter { button in
      !open.contains { $0.wishes.contains { $0.button == button } }
    }
    let others = gone.down.subtracting(lost).sorted().map { button in
      DeviceEvent.button(
        button, isClosed: open.contains { $0.down.contains(button) }, at: now())
    }
    return lost.map { .lost(button: $0) } + others + [.gone(gone.device.name)]
  }

  private mutating func refuse(_ words: String) -> [DeviceEvent] {
    told.insert(words).inserted ? [.refused(words)] : []
  }

  /// Whether a button asks for a device by a path, such as a link in `by-id`.
  private func isPath(_ wanted: String, _ path: String) -> Bool {
    guard wanted.hasPrefix("/") else { return false }
    return wanted == path || Self.mark(of: wanted) == Self.mark(of: path)
  }

  /// What tells a device from another that had its path before.
  private static func mark(of path: String) -> String? {
    var facts = stat()
    guard unsafe stat(path, &facts) == 0 else { return nil }
    return "\(facts.st_dev):\(facts.st_ino):\(facts.st_rdev):\(facts.st_ctim.tv_sec)"
  }
}
