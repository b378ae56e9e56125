internal import Glibc

/// What the user's ear gets: how loud, and what gives way to what.
///
/// A line has a priority; while anyone is heard on a line of a higher one, the others are dimmed. The programme is
/// below all lines and gives way to each.
public struct EarSettings: Sendable, Hashable {
  /// The priorities that a line can have: below standard, standard, high, paging, emergency.
  public static let priorities = 0...4
  /// What a line has unless the user says otherwise.
  public static let usualPriority = 1
  /// From this one on a line is never below the floor, whatever its level.
  public static let pagingPriority = 3
  /// An announcement is a page, whatever lines are set to.
  public static let announcementPriority = pagingPriority
  /// It mutes the others.
  public static let emergencyPriority = 4
  /// Of a dim: nothing is left.
  public static let cutDecibels = -120.0

  /// What a file says of its lines, be it what is usual.
  public struct SaidOfLines: Sendable, Hashable {
    /// Lines whose priority it says.
    public fileprivate(set) var priorities: Set<LineName> = []
    /// Lines of which it says where they are.
    public fileprivate(set) var pans: Set<LineName> = []
    /// Lines of which it says whether they have JACK outputs of their own.
    public fileprivate(set) var ports: Set<LineName> = []
  }

  /// Nothing where they are of no file.
  public private(set) var said = SaidOfLines()
  /// Those that the user set.
  private var values: [Name: Double] = [:]
  /// Of lines that have another than the usual one.
  private(set) var linePriorities: [LineName: Int] = [:]
  /// Of lines that are not in the middle, −1 (left) … 1 (right).
  private(set) var linePans: [LineName: Double] = [:]
  /// Lines that have JACK outputs of their own.
  private(set) var linePorts: Set<LineName> = []

  /// The usual ones.
  public init() {}

  /// Those of a file, by name and as they are written.
  public init(
    _ changes: [String: String], priorities: [LineName: Int], pans: [LineName: Double] = [:],
    ports: [LineName: Bool] = [:]
  ) throws(LineError) {
    (said.priorities, said.pans, said.ports) = (
      Set(priorities.keys), Set(pans.keys), Set(ports.keys)
    )
    for (line, isOn) in ports { setPort(isOn, of: line) }
    for (line, pan) in pans {
      guard LineLimits.pan.contains(pan) else { throw .badPan(pan) }
      setPan(pan, of: line)
    }
    for (line, priority) in priorities {
      guard Self.priorities.contains(priority) else { throw .badPriority(priority) }
      setPriority(priority, of: line)
    }
    try set(changes)
  }

  /// Those that somebody set, in the order of their names' table.
  public var setNames: [Name] { Name.allCases.filter { values[$0] != nil } }

  /// A setting: decibels, or 1 and 0 for on and off.
  public subscript(name: Name) -> Double { values[name] ?? name.usual }

  /// The priority of a line.
  public func priority(of line: LineName) -> Int { linePriorities[line] ?? Self.usualPriority }

  /// Sets the priority of a line.
  mutating func setPriority(_ priority: Int, of line: LineName) {
    linePriorities[line] = priority == Self.usualPriority ? nil : priority
  }

  /// A line was left.
  mutating func forget(_ line: LineName) {
    (linePriorities[line], linePans[line]) = (nil, nil)
    linePorts.remove(line)
  }

  /// Whether a line has a JACK output of its own, as far as there are any.
  public func hasPort(_ line: LineName) -> Bool { linePorts.contains(line) }

  /// Gives a line a JACK output of its own, or none.
  mutating func setPort(_ isOn: Bool, of line: LineName) {
    if isOn { linePorts.insert(line) } else { linePorts.remove(line) }
  }

  /// Where a line is heard.
  public func pan(of line: LineName) -> Double { linePans[line] ?? 0 }

  /// Sets where a line is heard.
  mutating func setPan(_ pan: Double, of line: LineName) { linePans[line] = pan == 0 ? nil : pan }

  /// With what a file has, which comes first.
  func taking(_ other: EarSettings) -> EarSettings {
    var settings = self
    settings.values.merge(other.values) { _, new in new }
    for line in other.said.pans { settings.setPan(other.pan(of: line), of: line) }
    for line in other.said.ports { settings.setPort(other.hasPort(line), of: line) }
    for line in other.said.priorities { settings.setPriority(other.priority(of: line), of: line) }
    settings.keepFloor()
    return settings
  }

  /// As a factor; never below the floor.
  public var volume: Float { Self.factor(self[.volume]) }

  /// What is left of a sound of a priority while one of another is heard, as a factor.
  ///
  /// - Parameters:
  ///   - priority: nil: the programme.
  ///   - heard: the highest that is heard, voices only.
  public func dim(of priority: Int?, while heard: Int) -> Float {
    guard let priority else {
      return heard == Self.emergencyPriority ? 0 : Self.factor(self[.programDim])
    }
    guard heard > priority else { return 1 }
    return heard == Self.emergencyPriority ? 0 : Self.factor(self[.priorityDim])
  }

  /// What is left while the user talks, as a factor.
  ///
  /// - Parameter priority: nil: the programme.
  public func talkDim(of priority: Int?) -> Float {
    let dim = Self.factor(self[.talkDim])
    guard priority == nil, self[.programDimTalking] != 0 else { return dim }
    return min(dim, Self.factor(self[.programDim]))
  }

  /// What the ear never gets more of, as a factor of full scale.
  public var ceiling: Float { Self.factor(self[.ceiling]) }

  /// How loud a call's tone is, dBFS of its peak before the volume; nil: it is silent.
  public var callToneDecibels: Double? {
    let decibels = self[.callTone]
    return decibels <= Self.cutDecibels ? nil : decibels
  }

  /// The priority of texts that are spoken.
  public var aloudPriority: Int { Int(self[.aloudPriority]) }

  /// Whether others may leave a key open into this ear alone.
  public var letsCallersLatch: Bool { self[.callerLatch] != 0 }

  /// Whether talkers are brought to like loudness.
  public var isLevelling: Bool { self[.level] != 0 }

  /// Whether talkers are spread around the head.
  public var isSpreading: Bool { self[.places] != 0 }

  /// Whether the own voice in the ear follows the volume.
  public var isSidetoneTracking: Bool { self[.sidetoneTracking] != 0 }

  /// The least gain, before the volume, of what has a priority; 0: there is none.
  public func leastGain(of priority: Int) -> Float {
    guard priority >= Self.pagingPriority else { return 0 }
    return Self.factor(self[.floor]) / volume
  }

  private static func factor(_ decibels: Double) -> Float {
    decibels <= cutDecibels ? 0 : Float(pow(10, decibels / 20))
  }

  /// Nobody turns the volume below the floor.
  private mutating func keepFloor() {
    if self[.volume] < self[.floor] { values[.volume] = self[.floor] }
  }
}

/// The settings by name, as users and programs write them.
extension EarSettings {
  /// The name of one of them.
  public enum Name: String, Sendable, Hashable, CaseIterable {
    case floor, volume, ceiling
    case priorityDim = "priority-dim"
    case programDim = "program-dim"
    case programDimTalking = "program-dim-talking"
    case talkDim = "talk-dim"
    case sidetoneTracking = "sidetone-tracking"
    case level, places
    case callTone = "call-tone"
    case callerLatch = "caller-latch"
    case aloudPriority = "aloud-priority"

    /// What a value looks like.
    public var placeholder: String {
      switch self {
      case .volume, .ceiling: "DB"
      case .floor, .callTone: "DB|off"
      case .priorityDim, .programDim, .talkDim: "DB|off|cut"
      case .programDimTalking, .sidetoneTracking, .callerLatch: "on|off"
      case .level: "auto|off"
      case .places: "spread|off"
      case .aloudPriority: "0…4"
      }
    }

    /// What it does, in a line.
    public var summary: String {
      switch self {
      case .floor:
        "What volume cannot go below, and paging and emergency lines neither, dB, -40…0."
      case .volume: "How loud all is that you hear, dB, -40…12."
      case .ceiling: "The highest peak in your ear, dBFS, -24…0: protects it."
      case .priorityDim: "Dim of lines while one of higher priority is heard, dB, -60…0."
      case .programDim: "Dim of the programme while anybody talks to you, dB, -60…0."
      case .programDimTalking: "Whether the programme is dimmed while you talk, too."
      case .talkDim: "Dim of all that you hear while you talk, dB, -60…0: for loudspeakers."
      case .sidetoneTracking: "Whether the sidetone follows volume."
      case .level: "Whether talkers are brought to like loudness, by 12 dB at most."
      case .places: "Whether talkers are spread around your head, by line: for headphones."
      case .callTone: "How loud a call beeps in your ear, dBFS, -40…0."
      case .callerLatch: "Whether others' keys for you alone may latch."
      case .aloudPriority: "Priority of texts that are spoken in your ear, 0…4 as of lines."
      }
    }

    /// The numbers that it takes; nil: it is on or off.
    public var range: ClosedRange<Double>? {
      switch self {
      case .volume: -40...12
      case .floor, .callTone: -40...0
      case .ceiling: -24...0
      case .priorityDim, .programDim, .talkDim: -60...0
      case .programDimTalking, .sidetoneTracking, .level, .places, .callerLatch: nil
      case .aloudPriority: 0...4
      }
    }

    /// What holds unless the user says otherwise.
    var usual: Double {
      switch self {
      case .volume, .ceiling, .talkDim, .programDimTalking, .level, .places: 0
      case .floor: -21
      case .priorityDim, .programDim, .callTone: -12
      case .sidetoneTracking, .callerLatch: 1
      case .aloudPriority: 2
      }
    }

    /// The words beside numbers, and what they stand for.
    fileprivate var words: [String: Double] {
      switch self {
      case .volume, .ceiling, .aloudPriority: [:]
      case .floor, .callTone: ["off": cutDecibels]
      case .priorityDim, .programDim, .talkDim: ["off": 0, "cut": cutDecibels]
      case .programDimTalking, .sidetoneTracking, .callerLatch: ["on": 1, "off": 0]
      case .level: ["auto": 1, "off": 0]
      case .places: ["spread": 1, "off": 0]
      }
    }
  }

  /// Takes values as they are written, by name.
  ///
  /// - Throws: the first that will not do; then nothing is changed.
  mutating func set(_ changes: [String: String]) throws(LineError) {
    var changed = self
    for word in changes.keys.sorted() where Name(rawValue: word) == nil {
      let known = Name.allCases.map(\.rawValue).joined(separator: ", ")
      throw .badEar("nothing of the ear is called \"\(word.prefix(40))\"; use one of \(known)")
    }
    for name in Name.allCases {
      guard let text = changes[name.rawValue] else { continue }
      changed.values[name] = try Self.value(of: name, in: text)
    }
    if changes[Name.volume.rawValue] != nil, changed[.volume] < changed[.floor] {
      throw .badEar(
        "volume cannot be below the floor of \(changed.text(of: .floor)) dB; set both with: comlink "
          + "ear --floor DB --volume DB")
    }
    changed.keepFloor()
    self = changed
  }

  /// The value as it is written.
  public func text(of name: Name) -> String {
    let value = self[name]
    return name.words.first { $0.value == value }?.key ?? Self.short(value)
  }

  /// All of them by name, as they are written.
  public var texts: [String: String] {
    Dictionary(uniqueKeysWithValues: Name.allCases.map { ($0.rawValue, text(of: $0)) })
  }

  private static func value(of name: Name, in text: String) throws(LineError) -> Double {
    if let value = name.words[text] { return value }
    let words = name.words.keys.sorted().map { "or \($0)" }
    guard let range = name.range else {
      let words = name.placeholder.split(separator: "|").joined(separator: " or ")
      throw .badEar("\(name.rawValue) must be \(words), not \"\(text.prefix(40))\"")
    }
    guard let value = Double(text), range.contains(value) else {
      let numbers = "from \(short(range.lowerBound)) to \(short(range.upperBound))"
      throw .badEar(
        "\(name.rawValue) must be "
          + ([numbers] + words).joined(separator: " ") + ", not \"\(text.prefix(40))\"")
    }
    guard name != .aloudPriority || value == value.rounded() else {
      throw .badEar("\(name.rawValue) must be a whole number, not \"\(text.prefix(40))\"")
    }
    return value
  }

  private static func short(_ value: Double) -> String {
    value == value.rounded() ? "\(Int(value))" : "\(value)"
  }
}

/// As octets, what was set: the number of settings, and of each its name and its value (the bits of an IEEE 754
/// double); the number of lines of another priority, and of each its name and that. A text has its length before it.
extension EarSettings {
  /// The settings in octets.
  var octets: [UInt8] {
    var octets = [UInt8(values.count)]
    for (name, value) in values.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      octets += [UInt8(name.rawValue.utf8.count)] + Array(name.rawValue.utf8)
      octets += (0..<8).map { UInt8(truncatingIfNeeded: value.bitPattern >> UInt64(56 - 8 * $0)) }
    }
    octets.append(UInt8(linePriorities.count))
    for (line, priority) in linePriorities.sorted(by: { $0.key < $1.key }) {
      octets += [UInt8(line.text.utf8.count)] + Array(line.text.utf8) + [UInt8(priority)]
    }
    return octets
  }
}

extension LineReader {
  /// What was kept of the ear; nil: it is damaged.
  mutating func ear() -> EarSettings? {
    var ear = EarSettings()
    guard let count = number(1) else { return nil }
    for _ in 0..<count {
      guard let word = try? label(), let value = number(8).map({ Double(bitPattern: $0) })
      else { return nil }
      // One of a later version means nothing to this one.
      guard let name = EarSettings.Name(rawValue: word.text) else { continue }
      guard ear.restore(name, value) else { return nil }
    }
    guard let lineCount = number(1), lineCount <= LineLimits.ownLines + 1 else { return nil }
    for _ in 0..<lineCount {
      guard let line = try? label(), let priority = number(1).map(Int.init),
        EarSettings.priorities.contains(priority)
      else { return nil }
      ear.setPriority(priority, of: line)
    }
    return ear
  }
}

extension EarSettings {
  fileprivate mutating func restore(_ name: Name, _ value: Double) -> Bool {
    let isWord = name.words.values.contains(value)
    guard isWord || name.range?.contains(value) == true else { return false }
    values[name] = value
    return true
  }
}

/// As octets, beside the others: the number of lines that are not in the middle, and of each its name, with its length
/// before it, and where it is (the bits of an IEEE 754 double).
extension EarSettings {
  var panOctets: [UInt8] {
    linePans.sorted { $0.key < $1.key }.reduce(into: [UInt8(linePans.count)]) { octets, entry in
      octets += [UInt8(entry.key.text.utf8.count)] + Array(entry.key.text.utf8)
      let bits = entry.value.bitPattern
      octets += (0..<8).map { UInt8(truncatingIfNeeded: bits >> UInt64(56 - 8 * $0)) }
    }
  }

  /// Reads them; false: they are damaged.
  mutating func readPans(_ reader: inout LineReader) -> Bool {
    guard let count = reader.number(1), count <= LineLimits.ownLines + 1 else { return false }
    for _ in 0..<count {
      guard let line = try? reader.label(), let bits = reader.number(8),
        LineLimits.pan.contains(Double(bitPattern: bits))
      else { return false }
      setPan(Double(bitPattern: bits), of: line)
    }
    return true
  }
}

/// As octets, beside the others: the number of lines with outputs of their own, and of each its name, with its length
/// before it.
extension EarSettings {
  var portOctets: [UInt8] {
    linePorts.sorted().reduce(into: [UInt8(linePorts.count)]) { octets, line in
      octets += [UInt8(line.text.utf8.count)] + Array(line.text.utf8)
    }
  }

  /// Reads them; false: they are damaged.
  mutating func readPorts(_ reader: inout LineReader) -> Bool {
    guard let count = reader.number(1), count <= LineLimits.ownLines + 1 else { return false }
    for _ in 0..<count {
      guard let line = try? reader.label() else { return false }
      setPort(true, of: line)
    }
    return true
  }
}
