internal import Glibc
public import Keys
internal import System

/// Where a system has its devices.
public struct DevicePlaces: Sendable {
  /// The folder of GPIO chips.
  public var chips = "/dev"
  /// The folder of input devices.
  public var inputs = "/dev/input"
  /// The folder of lights.
  public var lights = "/sys/class/leds"

  /// Those of Linux.
  public init() {}

  /// Those of a copy of `/dev` and `/sys` elsewhere.
  public init(root: String) {
    (chips, inputs, lights) = (root + chips, root + inputs, root + lights)
  }
}

/// All that a panel is made of: contacts to be read, lamps and relays to be set.
///
/// Devices may come, go, flood and lie: what they tell is bounded, and one that cannot be used is told of once.
public struct PanelDevices {
  private let settings: PanelSettings
  private var inputs: InputDevices
  private var lines: GPIOLines
  private var lights: [Int: KernelLight] = [:]
  private var levels: [Int: LampLight] = [:]
  /// What was told, and holds.
  private var told: Set<String> = []

  /// The devices of a panel; none is opened before the first ``scan()``.
  public init(
    _ settings: PanelSettings, places: DevicePlaces = DevicePlaces(),
    calls: DeviceCalls = .ofThisKernel
  ) {
    self.settings = settings
    inputs = InputDevices(settings.buttons, folder: places.inputs, calls: calls)
    lines = GPIOLines(settings, folder: places.chips, calls: calls)
    for (number, lamp) in settings.lamps.enumerated() {
      if case .light(let name) = lamp.place {
        lights[number] = KernelLight(name: name, folder: places.lights)
      }
    }
  }

  /// Whether something could not be had, and is to be looked for again by ``scan()``.
  public var isIncomplete: Bool {
    inputs.isIncomplete || lines.isIncomplete || lights.values.contains { !$0.isOpen }
  }

  /// Input devices that buttons ask for and that are not there.
  public var missingInputs: [String] { inputs.missing }

  /// What is to be waited for, then given to ``read(_:now:)``.
  public var descriptors: [Int32] { inputs.descriptors + lines.descriptors }

  /// Opens what is there and could not be had so far.
  public mutating func scan() -> [DeviceEvent] {
    var events = inputs.scan() + lines.scan()
    for number in lights.keys.sorted() where lights[number]?.isOpen == false {
      events += openLight(number)
    }
    return events
  }

  /// Takes what a descriptor has.
  public mutating func read(_ descriptor: Int32, now: Duration) -> [DeviceEvent] {
    inputs.read(descriptor, now: now) + lines.read(descriptor, now: now)
  }

  /// What a button says now; nil: it cannot be asked.
  public func isClosed(button: Int) -> Bool? {
    inputs.isClosed(button: button) ?? lines.isClosed(button: button)
  }

  /// Lights a lamp; a line is on or off, and takes dim for off.
  public mutating func light(lamp number: Int, _ light: LampLight) -> [DeviceEvent] {
    levels[number] = light
    guard let name = lights[number]?.name else {
      return lines.set(.lamp(number), isActive: light == .bright)
    }
    return lights[number]?.set(light) == true ? [] : [.gone("LED \(name)")]
  }

  /// Closes or opens a relay.
  public mutating func relay(_ number: Int, isClosed: Bool) -> [DeviceEvent] {
    lines.set(.relay(number), isActive: isClosed)
  }

  /// Gives lights back as they were.
  public mutating func close() {
    for number in lights.keys { lights[number]?.close() }
  }

  private mutating func openLight(_ number: Int) -> [DeviceEvent] {
    guard let name = lights[number]?.name, let result = lights[number]?.open() else { return [] }
    guard let code = SystemCall.code(result) else {
      told = told.filter { !$0.hasPrefix("LED \(name)") }
      _ = lights[number]?.set(levels[number] ?? .off)
      return [.found("LED \(name)")]
    }
    let words =
      switch code {
      case ENOENT, ENOTDIR: "LED \(name): there is none; ls /sys/class/leds lists them"
      case EACCES, EPERM, EROFS: "LED \(name): no permission; see keys.toml(5), RIGHTS"
      default: "LED \(name): \(errorWords(code))"
      }
    return told.insert(words).inserted ? [.refused(words)] : []
  }
}
