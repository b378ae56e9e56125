public import RTP

/// Which of a node's states came later: of each run of it, and of the changes within.
public struct LineVersion: Sendable, Hashable, Comparable {
  /// The number of the node's start.
  public var instance: UInt64
  /// Grows with each change.
  public var count: UInt64

  /// A version.
  public init(instance: UInt64, count: UInt64) { (self.instance, self.count) = (instance, count) }

  /// Whether one is earlier.
  public static func < (one: LineVersion, other: LineVersion) -> Bool {
    (one.instance, one.count) < (other.instance, other.count)
  }
}

/// What a node tells of its lines: those that it is on, by the numbers that its packets have for them, and what it does
/// there.
///
/// Number 0 is the line `all`, in every record.
public struct LineRecord: Sendable, Hashable {
  /// Which it is.
  public var version: LineVersion
  /// The lines by number, 1 to 30.
  public var lines: [Int: LineName]
  /// The lines that it talks to.
  public var talking: LineSet
  /// The lines that it listens to.
  public var listening: LineSet

  /// A record of a node that is on `all` only.
  public init(
    version: LineVersion, lines: [Int: LineName] = [:], talking: LineSet = [],
    listening: LineSet = .everyone
  ) {
    (self.version, self.lines) = (version, lines)
    (self.talking, self.listening) = (talking, listening)
  }

  /// The line of a number.
  public func line(_ number: Int) -> LineName? { number == 0 ? .all : lines[number] }

  /// The number of a line; nil: it is not on it.
  public func number(of name: LineName) -> Int? {
    name == .all ? 0 : lines.first { $0.value == name }?.key
  }

  /// The lines of a set that it is on.
  public func names(of set: LineSet) -> [LineName] {
    (0..<LineSet.capacity).compactMap { set.contains(line: $0) ? line($0) : nil }
  }
}

/// What nodes tell each other of lines, a message of the lane's channel `lines`.
///
/// Octets: what it is (1: record, 2: tally, 3: record of who has none of the receiver, 4: calls,
/// 5: calls and private lines; others are of later
/// versions and mean nothing), the version's instance and count (8 each). In all but calls follow the sets of lines
/// talked and listened to (4 each), line 31 being an announcement; in a record the number of lines, and of each its
/// number, the length of its name and the name.
public enum LineMessage: Sendable, Hashable {
  /// All of it; who asks has nothing of the receiver, as that came before it was known to be a member.
  case record(LineRecord, asks: Bool = false)
  /// What changed since the last record: who talks and listens.
  case tally(version: LineVersion, talking: LineSet, listening: LineSet)
  /// What is between sender and receiver alone.
  case calls(version: LineVersion, CallContent)

  /// The message in octets, 25 to 825.
  public var octets: [UInt8] {
    switch self {
    case .record(let record, let asks):
      var octets = Self.head(asks ? 3 : 1, record.version, record.talking, record.listening)
      octets.append(UInt8(record.lines.count))
      for (number, name) in record.lines.sorted(by: { $0.key < $1.key }) {
        octets += [UInt8(number), UInt8(name.text.utf8.count)]
        octets += Array(name.text.utf8)
      }
      return octets
    case .tally(let version, let talking, let listening):
      return Self.head(2, version, talking, listening)
    case .calls(let version, let content):
      return Self.head(content.privateLines.isEmpty ? 4 : 5, version) + content.octets
    }
  }

  private static func head(_ kind: UInt8, _ version: LineVersion) -> [UInt8] {
    [version.instance, version.count].reduce(into: [kind]) { octets, word in
      octets += (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64(56 - 8 * $0)) }
    }
  }

  private static func head(
    _ kind: UInt8, _ version: LineVersion, _ talking: LineSet, _ listening: LineSet
  ) -> [UInt8] {
    var octets = head(kind, version)
    for word in [talking.rawValue, listening.rawValue] {
      octets += (0..<4).map { UInt8(truncatingIfNeeded: word >> UInt32(24 - 8 * $0)) }
    }
    return octets
  }

  /// Reads a message of another node; nil: it is of a later version.
  ///
  /// - Throws: the rule that it breaks.
  public init?(_ octets: [UInt8]) throws(LineViolation) {
    var reader = LineReader(octets)
    guard let kind = reader.number(1) else { throw .malformed }
    guard (1...5).contains(kind) else { return nil }
    guard let instance = reader.number(8), let count = reader.number(8) else { throw .malformed }
    let version = LineVersion(instance: instance, count: count)
    if kind >= 4 {
      let content = try CallContent(&reader, hasPrivateLines: kind == 5)
      self = .calls(version: version, content)
      guard reader.isAtEnd else { throw .malformed }
      return
    }
    guard let talking = reader.number(4), let listening = reader.number(4) else {
      throw .malformed
    }
    let sets = [talking, listening].map { LineSet(rawValue: UInt32(truncatingIfNeeded: $0)) }
    if kind == 2 {
      self = .tally(version: version, talking: sets[0], listening: sets[1])
    } else {
      let lines = try reader.lines()
      self = .record(
        LineRecord(version: version, lines: lines, talking: sets[0], listening: sets[1]),
        asks: kind == 3)
    }
    guard reader.isAtEnd else { throw .malformed }
  }
}

/// A rule that another node's message breaks.
public enum LineViolation: String, Error, Sendable, CaseIterable {
  /// It ends too soon, or too late.
  case malformed
  /// More lines than a node can be on.
  case tooManyLines
  /// A name that no line can have.
  case badName
  /// A number or a name that stands twice, or a number that no line has.
  case badNumber
  /// More calls than a node makes, or too many a second.
  case tooManyCalls
  /// More messages in a second than anybody needs.
  case tooFast
  /// More private lines than a node can be on.
  case tooManyPrivateLines
  /// More members than can be on a private line.
  case tooManyOnPrivateLine

  /// What is wrong, for people.
  public var words: String {
    switch self {
    case .malformed: "a message about lines is incomplete"
    case .tooManyLines: "it says that it is on more than \(LineLimits.ownLines) lines"
    case .badName: "a line's name is no valid name"
    case .badNumber: "two lines have one number or name"
    case .tooManyCalls: "it calls more often than anybody can answer"
    case .tooFast:
      "it tells of its lines more often than \(LineLimits.messagesPerSecond) times a second"
    case .tooManyPrivateLines:
      "it says that it is on more than \(LineLimits.privateLines) private lines"
    case .tooManyOnPrivateLine:
      "it says that more than \(PrivateRoster.limit) are on a private line"
    }
  }
}

/// Reads octets from outside.
struct LineReader {
  private let octets: [UInt8]
  private var place = 0

  init(_ octets: [UInt8]) { self.octets = octets }

  var isAtEnd: Bool { place == octets.count }

  /// A number of so many octets, the highest first; nil: there are not so many.
  mutating func number(_ byteCount: Int) -> UInt64? {
    guard let octets = take(byteCount) else { return nil }
    return octets.reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// A label with its length before it; nil: it is none.
  mutating func label() throws(LineViolation) -> Label {
    guard let count = number(1), let octets = take(Int(count)) else { throw .malformed }
    guard let text = String(validating: octets, as: UTF8.self), let label = try? Label(text)
    else { throw .badName }
    return label
  }

  /// A text with its length before it; nil: it is none.
  mutating func text() -> String? {
    number(1).flatMap { take(Int($0)) }.flatMap { String(validating: $0, as: UTF8.self) }
  }

  /// A label, or nothing where its length is 0.
  mutating func labelOrNone() throws(LineViolation) -> Label? {
    guard octets.indices.contains(place) else { throw .malformed }
    guard octets[place] == 0 else { return try label() }
    place += 1
    return nil
  }

  /// Lines by their numbers.
  fileprivate mutating func lines() throws(LineViolation) -> [Int: LineName] {
    guard let count = number(1) else { throw .malformed }
    guard count <= LineLimits.ownLines else { throw .tooManyLines }
    var (lines, names): ([Int: LineName], Set<LineName>) = ([:], [.all])
    for _ in 0..<count {
      guard let number = number(1).map(Int.init) else { throw .malformed }
      let name = try label()
      guard (1..<LineSet.announcementNumber).contains(number), names.insert(name).inserted,
        lines.updateValue(name, forKey: number) == nil
      else { throw .badNumber }
    }
    return lines
  }

  /// So many octets; nil: there are not so many.
  mutating func octets(_ count: Int) -> [UInt8]? { take(count).map(Array.init) }

  private mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
    guard count >= 0, octets.count - place >= count else { return nil }
    defer { place += count }
    return octets[place..<(place + count)]
  }
}
