public import Cryptography

/// Which member has to be told what: each has one message under way, and gets the newest state after it.
///
/// A record goes to who has none of this run or misses lines; else a tally will do. Between two messages to a member
/// pass 250 ms, or a key that chatters would fill the lane of a large group. Who has nothing of this node and asks for
/// it is told at once, whatever is under way to it; once each time that it becomes a member.
public struct LineOutbox: Sendable {
  /// A message to a member.
  public struct Letter: Sendable, Hashable {
    /// To whom.
    public let node: NodeID
    /// What.
    public let octets: [UInt8]
    let content: Content
    let admission: Int
    /// Whether the member is to tell all that it has.
    var asks = false
  }

  /// What a letter tells.
  enum Content: Sendable, Hashable {
    /// Its lines, as of this count, where it has them, and what is done there.
    case lines(LineVersion, linesCount: UInt64?)
    /// Calls.
    case calls(CallContent)
  }

  private struct Member {
    /// What it acknowledged; nil: nothing.
    var version: LineVersion?
    /// Whether it has the lines of that version's run, as of this count.
    var linesCount: UInt64 = 0
    let admission: Int
    var turn = LetterTurn()
  }

  private var members: [NodeID: Member] = [:]
  private var admissions = 0

  init() {}

  mutating func admit(_ node: NodeID) {
    // What it knew may be gone with its former connection: all is said again.
    admissions += 1
    members[node] = Member(
      admission: admissions, turn: LetterTurn(after: members[node]?.turn))
  }

  mutating func depart(_ node: NodeID) { members[node] = nil }

  /// What may be sent now.
  mutating func letters(
    of record: LineRecord, linesCount: UInt64, knows: (NodeID) -> Bool,
    nowNanoseconds now: Int64
  ) -> [Letter] {
    var letters: [Letter] = []
    for (node, member) in members where member.turn.isThere(nowNanoseconds: now) {
      guard member.version != record.version else { continue }
      let hasLines = member.version == nil || member.linesCount != linesCount
      let message: LineMessage =
        hasLines
        ? .record(record, asks: !knows(node))
        : .tally(
          version: record.version, talking: record.talking, listening: record.listening)
      members[node]?.turn.take(as: member.admission, nowNanoseconds: now)
      letters.append(
        Letter(
          node: node, octets: message.octets,
          content: .lines(record.version, linesCount: hasLines ? linesCount : nil),
          admission: member.admission, asks: hasLines && !knows(node)))
    }
    return letters
  }

  /// A member has nothing of this node.
  mutating func forget(_ node: NodeID) {
    guard let member = members[node] else { return }
    // What is under way to it counts no more.
    admissions += 1
    members[node] = Member(admission: admissions, turn: member.turn.asked)
  }

  /// Whether it was made for the member as it is known now.
  func counts(_ letter: Letter) -> Bool { members[letter.node]?.admission == letter.admission }

  /// A message was acknowledged, or will not be.
  mutating func finish(_ letter: Letter, isDelivered: Bool, nowNanoseconds now: Int64) {
    guard let member = members[letter.node],
      case .lines(let version, let linesCount) = letter.content
    else { return }
    members[letter.node]?.turn.end(letter.admission)
    // What was acknowledged before it was admitted anew, it may have forgotten.
    guard member.admission == letter.admission else { return }
    guard isDelivered else {
      members[letter.node]?.version = nil
      members[letter.node]?.turn.fail(nowNanoseconds: now)
      return
    }
    members[letter.node]?.version = version
    if let linesCount { members[letter.node]?.linesCount = linesCount }
  }

  /// When somebody may be sent something that waits; `max`: never.
  func nextDeadlineNanoseconds(of record: LineRecord) -> Int64 {
    members.values.filter { $0.version != record.version }
      .map(\.turn.nextNanoseconds).min() ?? .max
  }
}
