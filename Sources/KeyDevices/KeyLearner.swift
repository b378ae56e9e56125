internal import CEvdev
internal import CGPIO
internal import Glibc
internal import Keys
internal import System

/// Hears every button of a machine, to tell what the one is called that somebody presses.
public struct KeyLearner {
  /// What was pressed, as `keys.toml` wants it.
  public struct Learned: Sendable, Hashable {
    /// Lines of a `[[button]]`.
    public var lines: [String]
  }

  private struct Source {
    let path: String
    let descriptor: Descriptor
    /// An input device's name, or a line's.
    let name: String
    /// A line's chip; nil: an input device.
    let chip: String?
    var stream: EventStream
  }

  private let places: DevicePlaces
  private let calls: DeviceCalls
  private let watch: FolderWatch
  private var sources: [Source] = []
  /// What was looked at, so that it is told of once.
  private var seen: Set<String> = []

  /// Hears input devices.
  public init(places: DevicePlaces = DevicePlaces(), calls: DeviceCalls = .ofThisKernel) {
    self.places = places
    self.calls = calls
    watch = FolderWatch(places.inputs)
  }

  /// What is to be waited for, then given to ``read(_:)``.
  public var descriptors: [Int32] {
    (watch.descriptor.map { [$0] } ?? []) + sources.map(\.descriptor.number)
  }

  /// What is heard, by name.
  public var names: [String] { sources.map(\.name) }

  /// Opens input devices that are new.
  ///
  /// - Returns: what cannot be heard, and why, in words.
  public mutating func scan() -> [String] {
    KeyDevices.names(in: places.inputs).filter { $0.hasPrefix("event") }
      .compactMap { add("\(places.inputs)/\($0)") }
  }

  /// Asks for all lines of GPIO chips that nobody uses and that have a name, with pull-up.
  ///
  /// It changes what those lines are to other hardware on them. Lines of the bus that tells what is plugged in are left
  /// alone.
  ///
  /// - Returns: what cannot be heard, and why, in words.
  public mutating func scanLines() -> [String] {
    let chips = GPIOChip.all(in: places.chips, calls: calls)
    for chip in chips {
      for (offset, line) in chip.lines.enumerated() {
        let isBus = ["ID_", "SDA", "SCL"].contains(where: line.name.contains)
        guard !line.name.isEmpty, !line.isUsed, !line.isOutput, !isBus else { continue }
        let use = LineUse(isOutput: false, isActiveLow: true, pull: .up)
        let asked = calls.request(chip.descriptor.number, UInt32(offset), use)
        guard asked >= 0 else { continue }
        sources.append(
          Source(
            path: "\(chip.name):\(offset)", descriptor: Descriptor(owning: Int32(asked)),
            name: line.name, chip: chip.label,
            stream: EventStream(eventBytes: Int(GPIO_EVENT_BYTES))))
      }
    }
    guard chips.isEmpty else { return [] }
    let exist = KeyDevices.names(in: places.chips).contains { $0.hasPrefix("gpiochip") }
    return [exist ? "no permission to use GPIO chips: sudo, or the group gpio" : "no GPIO chip"]
  }

  /// Takes what a descriptor has: what was pressed, each button once.
  public mutating func read(_ descriptor: Int32) -> (learned: [Learned], problems: [String]) {
    if descriptor == watch.descriptor {
      watch.drain()
      return ([], scan())
    }
    guard let index = sources.firstIndex(where: { $0.descriptor.number == descriptor }) else {
      return ([], [])
    }
    guard let events = sources[index].stream.read(descriptor) else {
      let gone = sources.remove(at: index)
      seen.remove(gone.path)
      return ([], ["\(gone.name) is gone"])
    }
    let learned = events.compactMap { learn($0, of: sources[index]) }
    return (learned.filter { seen.insert($0.lines.joined()).inserted }, [])
  }

  private mutating func add(_ path: String) -> String? {
    let opened = calls.open(path)
    guard let code = SystemCall.code(opened) else {
      return hear(Descriptor(owning: Int32(opened)), path)
    }
    guard code == EACCES || code == EPERM, seen.insert(path).inserted else { return nil }
    return "no permission to read \(path): sudo, or the group input"
  }

  private mutating func hear(_ descriptor: Descriptor, _ path: String) -> String? {
    guard !sources.contains(where: { $0.path == path }),
      let name = calls.inputName(descriptor.number),
      calls.keys(descriptor.number)?.isEmpty == false
    else { return nil }
    // Given back at once: whoever grabs a keyboard takes it from its user.
    guard calls.grab(descriptor.number, true) >= 0 else {
      guard seen.insert(path).inserted else { return nil }
      return "another program has \(name) for itself; if that is comlink-keys: "
        + "sudo systemctl stop comlink-keys"
    }
    _ = calls.grab(descriptor.number, false)
    seen.remove(path)
    sources.append(
      Source(
        path: path, descriptor: descriptor, name: name, chip: nil,
        stream: EventStream(eventBytes: Int(EVDEV_EVENT_BYTES))))
    return nil
  }

  private func learn(_ octets: [UInt8], of source: Source) -> Learned? {
    if let chip = source.chip {
      guard (unsafe gpio_decode(octets)).is_active == 1 else { return nil }
      return Learned(
        lines: ["gpio = \(Self.quoted(source.name))", "chip = \(Self.quoted(chip))"])
    }
    let event = unsafe evdev_decode(octets)
    guard event.type == EVDEV_KEY, event.value == 1 else { return nil }
    return Learned(
      lines: [
        "device = \(Self.quoted(source.name))", "code = \"\(KeyCode.name(of: event.code))\"",
      ])
  }

  /// A TOML string; what cannot be written is a star, as in names of devices.
  private static func quoted(_ text: String) -> String {
    let scalars = text.unicodeScalars.map { scalar in
      switch scalar {
      case "\"", "\\": "\\\(scalar)"
      default: scalar.properties.generalCategory == .control ? "*" : "\(scalar)"
      }
    }
    return "\"\(scalars.joined())\""
  }
}
