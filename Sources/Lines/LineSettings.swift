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

  /// The lines, `all` among them where it is not heard as it comes.
  public var lines: [Line]
  /// The keys.
  public var keys: [Key]

  /// Lines and keys.
  public init(lines: [Line] = [], keys: [Key] = []) { (self.lines, self.keys) = (lines, keys) }

  /// With those of a file, which are first; what the file has not stays.
  public func taking(_ other: LineSettings) -> LineSettings {
    let (lines, keys) = (Set(other.lines.map(\.name)), Set(other.keys.map(\.name)))
    return LineSettings(
      lines: other.lines + self.lines.filter { !lines.contains($0.name) },
      keys: other.keys + self.keys.filter { !keys.contains($0.name) })
  }
}

/// As octets: the number of lines, and of each its name, whether it is heard and its level (the bits of an IEEE 754
/// double); the number of keys, and of each its name, its activation as a word, its lines, the latch time (2 octets),
/// the interlock group (0: none) and its flags. A text has its length before it.
extension LineSettings {
  /// The most octets that they take.
  public static let mostOctets = 64 * 1024

  /// The settings in octets.
  public var octets: [UInt8] {
    var octets: [UInt8] = [1, UInt8(lines.count)]
    for line in lines {
      octets += Self.octets(of: line.name.text)
      octets.append(line.isListening ? 1 : 0)
      octets += Self.octets(of: line.levelDecibels.bitPattern, count: 8)
    }
    octets.append(UInt8(keys.count))
    for key in keys {
      octets += Self.octets(of: key.name.text) + Self.octets(of: key.activation.rawValue)
      octets.append(UInt8(key.lines.count))
      for line in key.lines { octets += Self.octets(of: line.text) }
      octets += Self.octets(of: UInt64(key.latchMilliseconds), count: 2)
      octets.append(UInt8(key.interlock ?? 0))
      octets.append(
        (key.listensWhileTalking ? 1 : 0) | (key.mutesWhileTalking ? 2 : 0)
          | (key.isolates ? 4 : 0))
    }
    return octets
  }

  /// Reads what was kept; nil: it is damaged.
  public init?(_ octets: [UInt8]) {
    var reader = LineReader(octets)
    guard reader.number(1) == 1, let lineCount = reader.number(1),
      lineCount <= LineLimits.ownLines + 1
    else { return nil }
    self.init()
    for _ in 0..<lineCount {
      guard let line = reader.line() else { return nil }
      lines.append(line)
    }
    guard let keyCount = reader.number(1), keyCount <= LineLimits.keys else { return nil }
    for _ in 0..<keyCount {
      guard let key = reader.key() else { return nil }
      keys.append(key)
    }
    guard reader.isAtEnd else { return nil }
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

  fileprivate mutating func key() -> Key? {
    guard let name = try? label(), let word = try? label(),
      let activation = KeyActivation(rawValue: word.text), let lineCount = number(1)
    else { return nil }
    var lines: [LineName] = []
    for _ in 0..<lineCount {
      guard let line = try? label() else { return nil }
      lines.append(line)
    }
    guard let latch = number(2), let interlock = number(1), let flags = number(1), flags < 8,
      var key = try? Key(
        name, lines: lines, activation: activation, latchMilliseconds: Int(latch),
        interlock: interlock == 0 ? nil : Int(interlock))
    else { return nil }
    key.listensWhileTalking = flags & 1 != 0
    key.mutesWhileTalking = flags & 2 != 0
    key.isolates = flags & 4 != 0
    return key
  }
}
