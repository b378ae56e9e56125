import Cryptography
import RTP

/// Who in the group is on which lines, as each node tells of itself.
///
/// A line is there as long as anyone is on it: nothing is replicated that somebody else could say otherwise, and
/// halves of a group that meet again need but tell each other what each node is on.
struct LineDirectory {
  private var records: [NodeID: LineRecord] = [:]
  /// Messages of this second, by member.
  private var seconds: [NodeID: (count: Int, sinceNanoseconds: Int64)] = [:]
  /// Who is a member; of some no record came yet.
  private(set) var members: Set<NodeID> = []
  /// Who told something before it was known to be a member, which is lost; the latest of them, the oldest first.
  private var missed: [NodeID] = []
  /// Of those who are no members, so many are remembered.
  static let strangerLimit = 256

  mutating func admit(_ node: NodeID) { members.insert(node) }

  mutating func depart(_ node: NodeID) {
    members.remove(node)
    records[node] = nil
    hasAsked(node)
    seconds = seconds.filter { members.contains($0.key) }
  }

  /// How many senders are remembered who are no members.
  var strangerCount: Int {
    Set(missed).union(seconds.keys).subtracting(members).count
  }

  /// Counts a message of a member.
  ///
  /// - Throws: that there are too many this second: whoever changes lines all the time keeps nobody busy.
  mutating func count(_ node: NodeID, nowNanoseconds now: Int64) throws(LineViolation) {
    if seconds[node] == nil, !members.contains(node) {
      try makeRoomForStranger(nowNanoseconds: now)
    }
    var second = seconds[node] ?? (0, now)
    if now - second.sinceNanoseconds >= 1_000_000_000 { second = (0, now) }
    guard second.count < LineLimits.messagesPerSecond else { throw .tooFast }
    second.count += 1
    seconds[node] = second
  }

  private mutating func makeRoomForStranger(nowNanoseconds now: Int64) throws(LineViolation) {
    func isFull() -> Bool { seconds.count >= members.count + Self.strangerLimit }
    guard isFull() else { return }
    seconds = seconds.filter {
      members.contains($0.key) || now - $0.value.sinceNanoseconds < 1_000_000_000
    }
    if isFull() { throw .tooFast }
  }

  /// Takes what a member says; false: it is old, or nothing that can be used.
  mutating func take(_ message: LineMessage, of node: NodeID) -> Bool {
    guard members.contains(node) else { return false }
    switch message {
    case .record(let record, _):
      guard records[node].map({ $0.version < record.version }) ?? true else { return false }
      records[node] = record
    case .tally(let version, let talking, let listening):
      guard let known = records[node], known.version.instance == version.instance,
        known.version < version
      else { return false }
      records[node]?.version = version
      records[node]?.talking = talking
      records[node]?.listening = listening
    case .calls: return false
    }
    return true
  }

  /// What a member told last; of who told nothing that it is on `all`.
  func record(of node: NodeID) -> LineRecord {
    records[node] ?? LineRecord(version: LineVersion(instance: 0, count: 0))
  }

  /// Whether what comes from a node counts; if not, it is to be asked for it.
  mutating func isHeard(_ node: NodeID) -> Bool {
    if members.contains(node) { return true }
    guard !missed.contains(node) else { return false }
    if missed.count >= Self.strangerLimit { missed.removeFirst() }
    missed.append(node)
    return false
  }

  /// Whether a member need not be asked for all that it has to tell.
  func hasAll(of node: NodeID) -> Bool { knows(node) && !missed.contains(node) }

  /// A member has been asked.
  mutating func hasAsked(_ node: NodeID) { missed.removeAll { $0 == node } }

  /// Whether a member told anything.
  func knows(_ node: NodeID) -> Bool { records[node] != nil }

  /// Lines that members are on, beside `all`.
  var names: Set<LineName> { Set(records.values.flatMap(\.lines.values)) }

  /// Who announces something to all.
  var announcers: [NodeID] {
    members.filter { records[$0]?.talking.contains(line: LineSet.announcementNumber) == true }
      .sorted()
  }

  /// Members on each line, and of them those who talk there.
  var people: [LineName: (members: [NodeID], talkers: [NodeID])] {
    var people: [LineName: (members: [NodeID], talkers: [NodeID])] = [:]
    for node in members.sorted() {
      let record = record(of: node)
      for number in 0..<LineSet.capacity {
        guard let line = record.line(number) else { continue }
        people[line, default: ([], [])].members.append(node)
        if record.talking.contains(line: number) { people[line]?.talkers.append(node) }
      }
    }
    return people
  }
}
