public import Cryptography

/// Names a line among a node's conversations.
public enum LineTag: Hashable, Sendable {
  /// A line of the group, by its name as names are told apart: case is none of it.
  case named(String)
  /// A private line, by ``idByteCount`` octets that nobody guesses.
  case hidden([UInt8])

  /// Octets of a private line's name.
  public static let idByteCount = 16
}

/// A line that this node is on, and who else is.
public struct LinePeople: Hashable, Sendable {
  /// Which.
  public var tag: LineTag
  /// What it is called.
  public var name: String
  /// Members that say that they are on it.
  public var members: Set<NodeID>
  /// Of a private line, whoever was added and not removed; nil: of any other.
  public var roster: Set<NodeID>?
  /// Of a private line, whoever left it, or was removed.
  public var removed: Set<NodeID>

  /// Makes a line.
  public init(
    tag: LineTag, name: String, members: Set<NodeID>, roster: Set<NodeID>? = nil,
    removed: Set<NodeID> = []
  ) {
    (self.tag, self.name, self.members) = (tag, name, members)
    (self.roster, self.removed) = (roster, removed)
  }
}

/// What is kept of a line.
public struct KeptLine: Hashable, Sendable {
  /// What it is called.
  public var name: String
  /// Who was on it: 0, or when it went, seconds of the node's running (``JournalState/runSeconds``).
  public var people: [NodeID: UInt64]

  /// Makes one.
  public init(name: String, people: [NodeID: UInt64]) {
    (self.name, self.people) = (name, people)
  }
}

/// A line as a message says which.
struct LineAddress: Hashable {
  let name: String
  /// Of a private line.
  let id: [UInt8]?
}

/// Who is, and lately was, on the lines that this node is on.
///
/// Members say themselves where they are. Who is away counts as being where it was last, for as long as messages are
/// kept; who is here and says something else does not.
struct LineBook {
  private struct Line {
    var kept: KeptLine
    var isJoined: Bool
    var removed: Set<NodeID> = []
  }

  private let fold: @Sendable (String) -> String?
  private let lifeSeconds: UInt64
  private var lines: [LineTag: Line]
  /// Lines of which the disk has not what is so.
  private var owed: Set<LineTag> = []

  /// - Parameters:
  ///   - lifeSeconds: how long who is away is remembered.
  ///   - fold: what tells names of lines apart; nil: no line is called so.
  init(
    _ kept: [LineTag: KeptLine], atRunSeconds run: UInt64, lifeSeconds: UInt64,
    fold: @escaping @Sendable (String) -> String?
  ) {
    (self.fold, self.lifeSeconds) = (fold, lifeSeconds)
    lines = kept.mapValues { line in
      // Nobody is here yet.
      let people = line.people.mapValues { $0 == 0 ? max(1, run) : $0 }
      // What was left has nobody.
      return Line(kept: KeptLine(name: line.name, people: people), isJoined: !people.isEmpty)
    }
  }

  // MARK: Who is on them

  /// Takes all lines that this node is on.
  ///
  /// - Parameter told: members that said which lines they are on.
  /// - Returns: what is to be kept, until ``noteKept()``.
  mutating func follow(
    _ followed: [LinePeople], told: Set<NodeID>, atRunSeconds run: UInt64
  ) -> [JournalChange] {
    age(atRunSeconds: run)
    // The name of a private line that was left is nowhere else.
    var next: [LineTag: Line] = [:]
    for (tag, line) in lines {
      guard case .hidden = tag else { continue }
      next[tag] = Line(kept: KeptLine(name: line.kept.name, people: [:]), isJoined: false)
    }
    for line in followed.prefix(MessageLimits.lines) {
      let tag = known(line.tag)
      var people = (lines[tag]?.kept.people ?? [:])
        .filter { node, _ in line.roster?.contains(node) ?? !told.contains(node) }
        .mapValues { $0 == 0 ? max(1, run) : $0 }
      for node in line.members { people[node] = 0 }
      let kept = KeptLine(name: line.name, people: Self.latest(people))
      next[tag] = Line(kept: kept, isJoined: true, removed: line.removed)
    }
    Self.bound(&next)
    owed.formUnion(
      Set(lines.keys).union(next.keys).filter { next[$0]?.kept != lines[$0]?.kept })
    lines = next
    return owed.map { .line($0, next[$0]?.kept) }
  }

  /// What was to be kept is on the disk.
  mutating func noteKept() { owed = [] }

  /// Forgets who is away for too long.
  mutating func age(atRunSeconds run: UInt64) {
    for (tag, line) in lines {
      let gone = line.kept.people.filter { _, went in
        went > 0 && run >= went && run - went >= lifeSeconds
      }.keys
      for node in gone { lines[tag]?.kept.people[node] = nil }
      if !gone.isEmpty { owed.insert(tag) }
    }
  }

  /// Of more than a message can be for, those who were there last.
  private static func latest(_ people: [NodeID: UInt64]) -> [NodeID: UInt64] {
    guard people.count > MessageLimits.recipients else { return people }
    func order(_ one: (key: NodeID, value: UInt64)) -> UInt64 { one.value == 0 ? .max : one.value }
    let sorted = people.sorted { (order($0), $0.key) > (order($1), $1.key) }
    return Dictionary(
      uniqueKeysWithValues: sorted.prefix(MessageLimits.recipients).map { ($0.key, $0.value) })
  }

  /// Names of lines that were left are remembered up to a limit.
  private static func bound(_ lines: inout [LineTag: Line]) {
    let left = lines.filter { !$0.value.isJoined }.keys
    for tag in left.prefix(max(0, left.count - MessageLimits.lines)) { lines[tag] = nil }
  }

  // MARK: Which is meant

  /// As it was called first, whichever way Unicode writes it.
  private func known(_ tag: LineTag) -> LineTag {
    lines.index(forKey: tag).map { lines[$0].key } ?? tag
  }

  /// The line that a user means; nil: no line can be called so.
  func tag(named name: String) -> LineTag? {
    guard let folded = fold(name) else { return nil }
    let called = lines.filter { fold($0.value.kept.name) == folded }
    return called.first { $0.value.isJoined }?.key ?? called.first?.key ?? .named(folded)
  }

  /// What a line is called; nil: nothing is known of it.
  func name(of tag: LineTag) -> String? {
    if let name = lines[tag]?.kept.name { return name }
    return if case .named(let folded) = tag { folded } else { nil }
  }

  /// Lines that this node is on.
  var joined: [LineTag] { lines.filter(\.value.isJoined).map(\.key) }

  /// Who else is, or lately was, on a line; nil: this node is not.
  func people(on tag: LineTag) -> Set<NodeID>? {
    lines[tag].flatMap { $0.isJoined ? Set($0.kept.people.keys) : nil }
  }

  /// Where a message belongs; nil: it names no line.
  ///
  /// What comes to a private line from somebody who left it, or was removed, is that sender's alone; so it is where
  /// this node is not on the line. Who is on it may not be told here yet, and knows what nobody guesses.
  func conversation(of address: LineAddress, from sender: NodeID) -> Conversation? {
    if let id = address.id {
      let tag = LineTag.hidden(id)
      guard let line = lines[tag], line.isJoined, !line.removed.contains(sender) else {
        return .member(sender)
      }
      return .line(tag)
    }
    return fold(address.name).map { .line(known(.named($0))) }
  }
}
