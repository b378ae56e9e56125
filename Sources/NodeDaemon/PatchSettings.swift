internal import Audio
internal import Habits
internal import Intercom
internal import Lines
internal import Remote
internal import StatusSchema

/// Inputs beside the microphone, and buses with ports of their own, as the user sets them.
struct PatchSettings: Hashable, Sendable {
  /// The way in of a programme.
  enum Program: String, CaseIterable {
    case off, mono, stereo
  }

  /// The most four-wire lines.
  static let mostInputs = 4
  /// What the programme is called.
  private static let program = "program"
  /// The most lines that an input is for.
  private static let mostLines = LineLimits.ownLines
  /// The longest name of an input or a bus.
  private static let mostNameBytes = 20

  /// Whether there is a programme.
  private(set) var program = Program.off
  /// The lines that the programme is for; none: all members.
  private var programLines: [String] = []
  /// The four-wire lines.
  private var fourWires: [InputSettings] = []
  /// Buses, and who is on them.
  private(set) var buses: [BusSettings] = []

  /// All inputs with their ports.
  var allInputs: [InputSettings] {
    let ports: [String] =
      switch program {
      case .off: []
      case .mono: [Self.program]
      case .stereo: ["\(Self.program)_left", "\(Self.program)_right"]
      }
    guard !ports.isEmpty else { return fourWires }
    var input = InputSettings(name: Self.program, ports: ports)
    (input.lines, input.configured) = (programLines, programText)
    return [input] + fourWires
  }

  /// Takes the way in of a programme: off, mono or stereo, and with `=LINE,LINE` the lines that it is for.
  mutating func setProgram(_ text: String) throws(SettingProblem) {
    let (word, lines) = try Self.linesAfter(text)
    guard let program = Program(rawValue: word) else {
      let all = Program.allCases.map(\.rawValue).joined(separator: "|")
      throw .badValue("must be one of \(all), not \"\(word)\"")
    }
    (self.program, programLines) = (program, lines)
  }

  /// The way in of a programme as it is set.
  var programText: String { Self.text(program.rawValue, for: programLines) }

  /// Takes four-wire lines, each as NAME or NAME=LINE,LINE (for members on these lines alone).
  mutating func setInputs(_ texts: [String]) throws(SettingProblem) {
    guard texts.count <= Self.mostInputs else {
      throw .badValue("is given \(texts.count) times; \(Self.mostInputs) are the most")
    }
    var inputs: [InputSettings] = []
    for text in texts {
      let (name, lines) = try Self.linesAfter(text)
      try Self.check(name, among: inputs.map(\.name)[...])
      guard name != Self.program else {
        throw .badValue("must not be \"\(name)\": that is --program")
      }
      var input = InputSettings(name: name, ports: ["in_\(name)"])
      (input.lines, input.configured) = (lines, Self.text(name, for: lines))
      inputs.append(input)
    }
    fourWires = inputs
  }

  /// The four-wire lines as they are set.
  var inputTexts: [String] { fourWires.map(\.configured) }

  /// What is there, and what is said of the lines that it is for: none where nothing is, or all are meant.
  private static func linesAfter(
    _ text: String
  ) throws(SettingProblem) -> (name: String, lines: [String]) {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count > 1 else { return (text, []) }
    let lines = PatchRequest.lines(in: String(parts[1]))
    guard (1...mostLines).contains(lines.count) else {
      throw .badValue("must name 1 to \(mostLines) lines after =, not \"\(parts[1])\"")
    }
    do throws(LineError) {
      let names = try lines.map { line throws(LineError) in try LineName(line) }
      return (String(parts[0]), names.contains(.all) ? [] : lines)
    } catch {
      throw .badValue("has a line that cannot be: \(error)")
    }
  }

  private static func text(_ name: String, for lines: [String]) -> String {
    lines.isEmpty ? name : "\(name)=\(lines.joined(separator: ","))"
  }

  /// Takes buses, each as NAME, NAME=PEER,PEER (nobody else) or NAME=-PEER,-PEER (all others).
  mutating func setBuses(_ texts: [String]) throws(SettingProblem) {
    guard texts.count <= BusSettings.mostBuses else {
      throw .badValue("is given \(texts.count) times; \(BusSettings.mostBuses) are the most")
    }
    var buses: [BusSettings] = []
    for text in texts {
      var bus = try Self.bus(text)
      bus.configured = Self.text(of: bus)
      try Self.check(bus.name, among: buses.map(\.name)[...])
      buses.append(bus)
    }
    self.buses = buses
  }

  /// The buses as they are set.
  var busTexts: [String] { buses.map(\.configured) }

  private static func text(of bus: BusSettings) -> String {
    let names = bus.members.keys.sorted()
    guard !names.isEmpty || !bus.others.isFinite else { return bus.name }
    let marked = bus.others.isFinite ? names.map { "-\($0)" } : names
    return "\(bus.name)=\(marked.joined(separator: ","))"
  }

  private static func bus(_ text: String) throws(SettingProblem) -> BusSettings {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    var bus = BusSettings(name: String(parts[0]))
    guard parts.count > 1 else { return bus }
    let peers = parts[1].split(separator: ",").map(String.init)
    let isWithout = peers.first?.hasPrefix("-") == true
    guard peers.allSatisfy({ $0.hasPrefix("-") == isWithout && $0 != "-" }) else {
      throw .badValue(
        "must name either who is on bus \(bus.name) or who is not (-PEER), not \"\(parts[1])\"")
    }
    bus.others = isWithout ? 0 : -.infinity
    for peer in peers {
      bus.members[isWithout ? String(peer.dropFirst()) : peer] = isWithout ? -.infinity : 0
    }
    return bus
  }

  private static func check(
    _ name: String, among others: ArraySlice<String>
  ) throws(SettingProblem) {
    let isPlain = name.utf8.allSatisfy { octet in
      switch octet {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "-"), UInt8(ascii: "_"):
        true
      default: false
      }
    }
    guard isPlain, (1...mostNameBytes).contains(name.utf8.count) else {
      throw .badValue(
        "must have names of 1 to \(mostNameBytes) small letters, digits, - or _, not \"\(name)\"")
    }
    guard !others.contains(name) else { throw .badValue("has \"\(name)\" twice; remove one") }
  }
}
