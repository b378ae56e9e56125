internal import Habits

/// Inputs and buses in the file of the mix.
///
/// The number of inputs in an octet, and of each its name, what the configuration said of it, whether it is on (an
/// octet) and its lines after their number (an octet); the same of buses: name, what the configuration said, how loud
/// the others are, and the members after their number (two octets), each with its name and how loud it is. A text has
/// its length before it in two octets, a level is the bits of an IEEE 754 double.
enum PatchRecords {
  /// The most octets that they take: the members of other files are left room.
  private static let mostOctets = 40 * 1024
  /// The longest text.
  static let mostTextOctets = 4096
  /// The most lines of an input.
  static let mostLines = 64

  /// What is kept of a mix; nothing where nothing was set.
  ///
  /// What there is no room for is left out.
  static func octets(of mix: Mix) -> [UInt8] {
    if mix.inputs.isEmpty, mix.buses.isEmpty { return [] }
    var room = mostOctets
    func fitting(_ records: [[UInt8]]) -> [UInt8] {
      let kept = records.filter { record in
        guard record.count <= room else { return false }
        room -= record.count
        return true
      }.prefix(Mix.mostPatches)
      return [UInt8(kept.count)] + kept.joined()
    }
    let inputs = mix.inputs.sorted { $0.key < $1.key }.map { name, input in
      text(name) + text(input.configured) + [input.isOn ? 1 : 0]
        + [UInt8(min(input.lines.count, mostLines))]
        + input.lines.prefix(mostLines).flatMap(text)
    }
    let buses = mix.buses.sorted { $0.key < $1.key }.map { name, bus in
      text(name) + text(bus.configured) + level(bus.others)
        + RecordReader.octets(of: UInt64(bus.members.count), count: 2)
        + bus.members.sorted { $0.key < $1.key }.flatMap { text($0.key) + level($0.value) }
    }
    return fitting(inputs) + fitting(buses)
  }

  private static func text(_ text: String) -> [UInt8] {
    // A longer one would not be read; it names nothing that there is.
    let octets = text.utf8.count <= mostTextOctets ? Array(text.utf8) : []
    return RecordReader.octets(of: UInt64(octets.count), count: 2) + octets
  }

  private static func level(_ decibels: Double) -> [UInt8] {
    RecordReader.octets(of: decibels.bitPattern, count: 8)
  }
}

extension RecordReader {
  /// Reads inputs and buses into a mix; false: they are damaged.
  mutating func patches(of mix: inout Mix) -> Bool {
    guard let inputs = number(1), inputs <= Mix.mostPatches else { return false }
    for _ in 0..<inputs {
      guard let name = name(), let input = input() else { return false }
      mix.inputs[name] = input
    }
    guard let buses = number(1), buses <= Mix.mostPatches else { return false }
    for _ in 0..<buses {
      guard let name = name(), let bus = bus() else { return false }
      mix.buses[name] = bus
    }
    return true
  }

  private mutating func input() -> InputHabit? {
    guard let configured = name(), let isOn = flag(), let count = number(1),
      count <= PatchRecords.mostLines
    else { return nil }
    var lines: [String] = []
    for _ in 0..<count {
      guard let line = name() else { return nil }
      lines.append(line)
    }
    return InputHabit(configured: configured, isOn: isOn, lines: lines)
  }

  private mutating func bus() -> BusHabit? {
    guard let configured = name(), let others = level(), let count = number(2) else { return nil }
    var members: [String: Double] = [:]
    for _ in 0..<count {
      guard let member = name(), let decibels = level() else { return nil }
      members[member] = decibels
    }
    return BusHabit(configured: configured, others: others, members: members)
  }

  private mutating func name() -> String? {
    guard let count = number(2), count <= PatchRecords.mostTextOctets else { return nil }
    return text(Int(count))
  }

  /// Decibels: minus infinity is silence; nothing else that is no number.
  private mutating func level() -> Double? {
    number(8).map { Double(bitPattern: $0) }.flatMap { $0.isFinite || $0 == -.infinity ? $0 : nil }
  }
}
