internal import CGPIO
internal import Glibc
public import Keys
internal import System

/// The GPIO lines of a panel: buttons, lamps and relays.
///
/// A line is found by its name, or by its number on a chip that is named; the number of a chip says nothing, as the
/// kernel deals them out as it finds them. Inputs tell their edges by interrupt. A chip that comes later, as one on
/// USB, is found by a later ``scan()``.
public struct GPIOLines {
  /// Who uses a line.
  enum User: Hashable, Sendable {
    case button(Int)
    case lamp(Int)
    case relay(Int)
  }

  private struct Line {
    let settings: LineSettings
    let user: User
    var descriptor: Descriptor?
    var stream = EventStream(eventBytes: Int(GPIO_EVENT_BYTES))
    /// The number of the last edge; nil: there was none.
    var lastEdge: UInt32?
    /// What an output is to be.
    var isActive = false

    var isOutput: Bool { if case .button = user { false } else { true } }
  }

  private let folder: String
  private let calls: DeviceCalls
  private var lines: [Line]
  /// What was told, and holds.
  private var told: Set<String> = []

  /// The lines of a panel, on chips in a folder; none is asked for before the first ``scan()``.
  public init(_ settings: PanelSettings, folder: String, calls: DeviceCalls = .ofThisKernel) {
    self.folder = folder
    self.calls = calls
    lines = []
    for (number, button) in settings.buttons.enumerated() {
      guard case .line(let line) = button.contact else { continue }
      lines.append(Line(settings: line, user: .button(number)))
    }
    for (number, lamp) in settings.lamps.enumerated() {
      guard case .line(let line) = lamp.place else { continue }
      lines.append(Line(settings: line, user: .lamp(number)))
    }
    for (number, relay) in settings.relays.enumerated() {
      lines.append(Line(settings: relay.line, user: .relay(number)))
    }
  }

  /// Whether a line could not be had.
  public var isIncomplete: Bool { lines.contains { $0.descriptor == nil } }

  /// What is to be waited for.
  public var descriptors: [Int32] {
    lines.filter { !$0.isOutput }.compactMap { $0.descriptor?.number }
  }

  /// Asks for the lines that could not be had so far.
  public mutating func scan() -> [DeviceEvent] {
    guard isIncomplete else { return [] }
    let chips = GPIOChip.all(in: folder, calls: calls)
    return lines.indices.filter { lines[$0].descriptor == nil }.flatMap { ask(for: $0, chips) }
  }

  /// Takes what a descriptor has; nothing of one that is none of these.
  public mutating func read(_ descriptor: Int32, now: Duration) -> [DeviceEvent] {
    let index = lines.firstIndex { $0.descriptor?.number == descriptor }
    guard let index, case .button(let button) = lines[index].user else { return [] }
    guard let events = lines[index].stream.read(descriptor) else {
      lines[index].descriptor = nil
      return [.lost(button: button), .gone(lines[index].settings.words)]
    }
    return events.flatMap { octets in
      take(unsafe gpio_decode(octets), of: index, button, now: now)
    }
  }

  /// What a button's line says now; nil: it is none of these, or does not tell.
  public func isClosed(button: Int) -> Bool? {
    guard let line = lines.first(where: { $0.user == .button(button) }) else { return nil }
    return isActive(line)
  }

  /// Makes an output active or not, now, or when it can be had.
  mutating func set(_ user: User, isActive: Bool) -> [DeviceEvent] {
    guard let index = lines.firstIndex(where: { $0.user == user }) else { return [] }
    lines[index].isActive = isActive
    guard let descriptor = lines[index].descriptor else { return [] }
    guard calls.set(descriptor.number, isActive) < 0 else { return [] }
    lines[index].descriptor = nil
    return [.gone(lines[index].settings.words)]
  }

  private func isActive(_ line: Line) -> Bool? {
    guard let descriptor = line.descriptor else { return nil }
    let answer = calls.isActive(descriptor.number)
    return answer < 0 ? nil : answer == 1
  }

  private mutating func take(
    _ edge: gpio_edge, of index: Int, _ button: Int, now: Duration
  ) -> [DeviceEvent] {
    guard edge.is_active >= 0 else { return [] }
    let time = EventStream.moment(edge.nanoseconds, now: now)
    defer { lines[index].lastEdge = edge.number }
    // Of more edges than the kernel keeps, the oldest are lost: what the line says now is what counts.
    if let last = lines[index].lastEdge, edge.number != last &+ 1,
      let isClosed = isActive(lines[index])
    {
      return [.button(button, isClosed: isClosed, at: time)]
    }
    return [.button(button, isClosed: edge.is_active == 1, at: time)]
  }

  private mutating func ask(for index: Int, _ chips: [GPIOChip]) -> [DeviceEvent] {
    let line = lines[index]
    let places = chips.compactMap { chip in chip.offset(of: line.settings).map { (chip, $0) } }
    guard let (chip, offset) = places.first else {
      return refuse(Self.missing(line.settings, chips, folder))
    }
    guard places.count == 1 else {
      let labels = places.map { $0.0.words }.joined(separator: " and ")
      return refuse("\(line.settings.words) is on \(labels): set chip to one of their labels")
    }
    let use = LineUse(
      isOutput: line.isOutput, isActiveLow: line.settings.isActiveLow, pull: line.settings.pull)
    let asked = calls.request(chip.descriptor.number, offset, use)
    if let code = SystemCall.code(asked) {
      return refuse(Self.refusal(line.settings, chip, offset, code, calls))
    }
    lines[index].descriptor = Descriptor(owning: Int32(asked))
    lines[index].lastEdge = nil
    told = told.filter { !$0.hasPrefix(line.settings.words) }
    return [.found("\(line.settings.words) (\(chip.words))")] + start(index)
  }

  /// An output takes what it is to be; a button that is held says so.
  private mutating func start(_ index: Int) -> [DeviceEvent] {
    if case .button(let button) = lines[index].user {
      guard isActive(lines[index]) == true else { return [] }
      return [.button(button, isClosed: true, at: now())]
    }
    return lines[index].isActive ? set(lines[index].user, isActive: true) : []
  }

  private mutating func refuse(_ words: String) -> [DeviceEvent] {
    told.insert(words).inserted ? [.refused(words)] : []
  }

  private static func missing(
    _ line: LineSettings, _ chips: [GPIOChip], _ folder: String
  ) -> String {
    if chips.isEmpty {
      return names(in: folder).contains { $0.hasPrefix("gpiochip") }
        ? "\(line.words): no permission to use \(folder)/gpiochip*: add the user to the group gpio"
        : "\(line.words): this machine has no GPIO chip"
    }
    let chips = chips.map(\.words).joined(separator: ", ")
    return "\(line.words): no chip has this line (\(chips)); gpioinfo lists them"
  }

  private static func refusal(
    _ line: LineSettings, _ chip: GPIOChip, _ offset: UInt32, _ code: Int32, _ calls: DeviceCalls
  ) -> String {
    switch code {
    case EBUSY:
      let user = calls.line(chip.descriptor.number, offset)?.consumer ?? ""
      return "\(line.words) is used by \(user.isEmpty ? "somebody else" : user): use another line"
    case EINVAL, EOPNOTSUPP:
      return "\(line.words): \(chip.words) has no pull \(line.pull.rawValue) or no interrupts; "
        + "set pull = \"none\" and wire a resistor"
    default: return "\(line.words) of \(chip.words): \(errorWords(code))"
    }
  }
}

/// A GPIO chip that is open.
struct GPIOChip {
  let name: String
  let label: String
  let descriptor: Descriptor
  let lines: [LineFacts]

  /// Those in a folder that this user may use.
  static func all(in folder: String, calls: DeviceCalls) -> [GPIOChip] {
    names(in: folder).filter { $0.hasPrefix("gpiochip") }.compactMap { name in
      let opened = calls.open("\(folder)/\(name)")
      guard SystemCall.code(opened) == nil else { return nil }
      let descriptor = Descriptor(owning: Int32(opened))
      guard let (label, count) = calls.chip(descriptor.number) else { return nil }
      let lines = (0..<min(count, 1024)).map {
        calls.line(descriptor.number, $0) ?? LineFacts(name: "")
      }
      return GPIOChip(name: name, label: label, descriptor: descriptor, lines: lines)
    }
  }

  /// The chip for a person: its label tells what it is.
  var words: String { label.isEmpty ? name : "\(name), \(label)" }

  /// Where a line is; nil: not here.
  func offset(of line: LineSettings) -> UInt32? {
    if let chip = line.chip, chip != label, chip != name { return nil }
    if let offset = line.offset { return offset < lines.count ? offset : nil }
    guard let name = line.name, !name.isEmpty else { return nil }
    return lines.firstIndex { $0.name == name }.map { UInt32($0) }
  }
}
