public import Cryptography

/// What a user set of lines and keys, as it outlives a run of the daemon.
public struct LineSettings: Sendable, Hashable {
  /// A line that the node is on.
  public struct Line: Sendable, Hashable {
    /// Which.
    public var name: LineName
    /// Whether it is heard.
    public var isListening: Bool
    /// How loud.
    public var levelDecibels: Double

    /// A line that is heard as it comes, unless said otherwise.
    public init(name: LineName, isListening: Bool = true, levelDecibels: Double = 0) {
      (self.name, self.isListening, self.levelDecibels) = (name, isListening, levelDecibels)
    }
  }

  /// A private line that the node is on.
  struct PrivateLine: Sendable, Hashable {
    var name: LineName
    var isListening: Bool
    var levelDecibels: Double
    var id: PrivateLineID
    var roster: PrivateRoster
  }

  /// Who may set what here.
  public internal(set) var operators: [NodeID: OperatorRights] = [:]
  /// The private lines.
  var privateLines: [PrivateLine] = []
  /// The lines, `all` among them where it is not heard as it comes.
  public var lines: [Line]
  /// What displays show for lines; nil: the first of the name, as a file may say.
  public var displays: [LineName: Label?] = [:]
  /// The keys.
  public var keys: [Key]
  /// The ear.
  public var ear = EarSettings()

  /// Lines and keys.
  public init(lines: [Line] = [], keys: [Key] = []) { (self.lines, self.keys) = (lines, keys) }

  /// With those of a file, which are first; what the file has not stays.
  public func taking(_ other: LineSettings) -> LineSettings {
    let (lines, keys) = (Set(other.lines.map(\.name)), Set(other.keys.map(\.name)))
    var settings = LineSettings(
      lines: other.lines + self.lines.filter { !lines.contains($0.name) },
      keys: other.keys + self.keys.filter { !keys.contains($0.name) })
    settings.ear = ear.taking(other.ear)
    settings.operators = operators.merging(other.operators) { _, other in other }
    settings.displays = displays.merging(other.displays) { _, other in other }
    settings.privateLines = (other.privateLines + privateLines.filter { !lines.contains($0.name) })
    return settings
  }
}

/// As octets: the form (7; 6 where no line has a display, 5 where no key has a MIDI control, 4 without ports, 3 without
/// private lines, operators and pans, too, 2 where nothing is said of the ear; 1 where keys have lines only), the
/// number of lines, and of each its name, whether it is heard and its level (the bits of an IEEE 754 double); the
/// number of keys, and of each its name, its activation as a word, its targets as texts, the latch time (2 octets), the
/// interlock group (0: none) and its flags; what is set of the ear; the number of private lines, and of each its name,
/// whether it is heard, its level, its ID (16 octets) and who is on it (``PrivateRoster/octets``); the number of
/// operators, and of each its ID (32 octets) and its rights; where lines are heard (``EarSettings/panOctets``); which
/// have outputs of their own (``EarSettings/portOctets``); the number of keys with a MIDI control, and of each its
/// place and the control as text; the number of lines with a name for displays, and of each both. A text has its length
/// before it.
extension LineSettings {
  private static let form: UInt8 = 7

  /// The most octets that they take.
  public static let mostOctets = 64 * 1024

  /// The settings in octets.
  public var octets: [UInt8] {
    var octets: [UInt8] = [ownForm, UInt8(lines.count)]
    for line in lines {
      octets += Self.octets(of: line.name.text)
      octets.append(line.isListening ? 1 : 0)
      octets += Self.octets(of: line.levelDecibels.bitPattern, count: 8)
    }
    octets.append(UInt8(keys.count))
    for key in keys {
      octets += Self.octets(of: key.name.text) + Self.octets(of: key.activation.rawValue)
      octets.append(UInt8(key.targets.count))
      for target in key.targets { octets += Self.octets(of: "\(target)") }
      octets += Self.octets(of: UInt64(key.latchMilliseconds), count: 2)
      octets.append(UInt8(key.interlock ?? 0))
      octets.append(
        (key.listensWhileTalking ? 1 : 0) | (key.mutesWhileTalking ? 2 : 0)
          | (key.isolates ? 4 : 0) | (key.sendsUntreated ? 8 : 0))
    }
    octets += ear.octets
    guard ownForm > 3 else { return octets }
    octets.append(UInt8(privateLines.count))
    for line in privateLines {
      octets += Self.octets(of: line.name.text)
      octets.append(line.isListening ? 1 : 0)
      octets += Self.octets(of: line.levelDecibels.bitPattern, count: 8)
      octets += line.id.octets + line.roster.octets
    }
    octets.append(UInt8(operators.count))
    for (node, rights) in operators.sorted(by: { $0.key < $1.key }) {
      octets += node.octets + [rights.rawValue]
    }
    octets += ear.panOctets
    if ownForm > 4 { octets += ear.portOctets }
    if ownForm > 5 { octets += midiOctets }
    return ownForm > 6 ? octets + displayOctets : octets
  }

  /// Those of lines that have one.
  private var ownDisplays: [LineName: Label] { displays.compactMapValues(\.self) }

  private var displayOctets: [UInt8] {
    let displays = ownDisplays.sorted { $0.key < $1.key }
    return displays.reduce(into: [UInt8(displays.count)]) { octets, display in
      octets += Self.octets(of: display.key.text) + Self.octets(of: display.value.text)
    }
  }

  private var midiOctets: [UInt8] {
    let controls = keys.enumerated().compactMap { place, key in key.midi.map { (place, $0) } }
    return controls.reduce(into: [UInt8(controls.count)]) { octets, control in
      octets.append(UInt8(control.0))
      octets += Self.octets(of: "\(control.1)")
    }
  }

  /// The first form that has all of it.
  private var ownForm: UInt8 {
    guard ownDisplays.isEmpty else { return Self.form }
    guard keys.allSatisfy({ $0.midi == nil }) else { return 6 }
    guard ear.linePorts.isEmpty else { return 5 }
    return privateLines.isEmpty && operators.isEmpty && ear.linePans.isEmpty ? 3 : 4
  }

  /// Reads what was kept; nil: it is damaged.
  public init?(_ octets: [UInt8]) {
    var reader = LineReader(octets)
    guard let form = reader.number(1), (1...UInt64(Self.form)).contains(form),
      let lineCount = reader.number(1), lineCount <= LineLimits.ownLines + 1
    else { return nil }
    self.init()
    for _ in 0..<lineCount {
      guard let line = reader.line() else { return nil }
      lines.append(line)
    }
    guard let keyCount = reader.number(1), keyCount <= LineLimits.keys else { return nil }
    for _ in 0..<keyCount {
      guard let key = reader.key(hasTargets: form > 1) else { return nil }
      keys.append(key)
    }
    if form > 2 {
      guard let ear = reader.ear() else { return nil }
      self.ear = ear
    }
    if form > 3 {
      guard let count = reader.number(1), count <= LineLimits.privateLines else { return nil }
      for _ in 0..<count {
        guard let line = reader.privateLine() else { return nil }
        privateLines.append(line)
      }
      guard let operators = reader.operators() else { return nil }
      self.operators = operators
      guard ear.readPans(&reader), form < 5 || ear.readPorts(&reader),
        form < 6 || readControls(&reader), form < 7 || readDisplays(&reader)
      else { return nil }
    }
    guard reader.isAtEnd else { return nil }
  }

  /// Reads which MIDI control works which key; false: they are damaged.
  private mutating func readControls(_ reader: inout LineReader) -> Bool {
    guard let count = reader.number(1), count <= keys.count else { return false }
    for _ in 0..<count {
      guard let place = reader.number(1).map(Int.init), keys.indices.contains(place),
        let control = reader.text().flatMap({ try? MIDIControl($0) })
      else { return false }
      keys[place].midi = control
    }
    return true
  }

  /// Reads what displays show for which line; false: they are damaged.
  private mutating func readDisplays(_ reader: inout LineReader) -> Bool {
    guard let count = reader.number(1), count <= LineLimits.ownLines + 1 else { return false }
    for _ in 0..<count {
      guard let line = try? reader.label(), let text = reader.text(),
        let display = try? Label.display(text)
      else { return false }
      displays[line] = display
    }
    return true
  }

  private static func octets(of text: String) -> [UInt8] {
    [UInt8(text.utf8.count)] + Array(text.utf8)
  }

  private static func octets(of number: UInt64, count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> UInt64(8 * (count - 1 - $0))) }
  }
}

extension LineReader {
  fileprivate mutating func line() -> LineSettings.Line? {
    guard let name = try? label(), let listening = number(1), listening <= 1,
      let level = number(8).map({ Double(bitPattern: $0) }),
      LineLimits.levelDecibels.contains(level)
    else { return nil }
    return LineSettings.Line(name: name, isListening: listening == 1, levelDecibels: level)
  }

  fileprivate mutating func privateLine() -> LineSettings.PrivateLine? {
    guard let line = line(),
      let id = octets(PrivateLineID.byteCount).flatMap(PrivateLineID.init(octets:)),
      let roster = try? roster()
    else { return nil }
    return LineSettings.PrivateLine(
      name: line.name, isListening: line.isListening, levelDecibels: line.levelDecibels, id: id,
      roster: roster)
  }

  fileprivate mutating func key(hasTargets: Bool) -> Key? {
    guard let name = try? label(), let word = try? label(),
      let activation = KeyActivation(rawValue: word.text), let count = number(1)
    else { return nil }
    var targets: [KeyTarget] = []
    for _ in 0..<count {
      let target =
        hasTargets
        ? text().flatMap { try? KeyTarget($0) } : (try? label()).map(KeyTarget.line)
      guard let target else { return nil }
      targets.append(target)
    }
    guard let latch = number(2), let interlock = number(1), let flags = number(1), flags < 16,
      var key = try? Key(
        name, targets: targets, activation: activation, latchMilliseconds: Int(latch),
        interlock: interlock == 0 ? nil : Int(interlock))
    else { return nil }
    key.listensWhileTalking = flags & 1 != 0
    key.mutesWhileTalking = flags & 2 != 0
    key.isolates = flags & 4 != 0
    key.sendsUntreated = flags & 8 != 0
    return key
  }
}
