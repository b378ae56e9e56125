internal import Cryptography

/// Which questions of other nodes are answered: each once, and of a member so many in a second.
///
/// Of each of the latest ``memberLimit`` members it remembers the last ``numberLimit`` questions.
struct QuestionGate {
  /// What becomes of a question.
  enum Verdict: Hashable {
    case taken
    /// It came already, and was carried out.
    case again
    /// It is one more than may be in a second.
    case tooMany
  }

  /// Questions of one member that are taken in a second.
  static let questionsPerSecond = 32
  static let numberLimit = 64
  static let memberLimit = 64

  private struct Member {
    var numbers: [UInt64] = []
    var (count, sinceNanoseconds): (Int, Int64)
    var lastNanoseconds: Int64
  }

  private var members: [NodeID: Member] = [:]
  /// Questions that were not taken, since the start.
  private(set) var refused = 0

  /// How many members are remembered.
  var memberCount: Int { members.count }

  /// Takes a question by its number, which its sender chose.
  mutating func take(_ number: UInt64, of node: NodeID, nowNanoseconds now: Int64) -> Verdict {
    var member = members[node] ?? Member(count: 0, sinceNanoseconds: now, lastNanoseconds: now)
    if members[node] == nil, members.count >= Self.memberLimit,
      let oldest = members.min(by: { $0.value.lastNanoseconds < $1.value.lastNanoseconds })?.key
    {
      members[oldest] = nil
    }
    if now - member.sinceNanoseconds >= 1_000_000_000 {
      (member.count, member.sinceNanoseconds) = (0, now)
    }
    member.lastNanoseconds = now
    member.count += 1
    let verdict: Verdict =
      member.count > Self.questionsPerSecond
      ? .tooMany : member.numbers.contains(number) ? .again : .taken
    if verdict == .taken { member.numbers = member.numbers.suffix(Self.numberLimit - 1) + [number] }
    members[node] = member
    if verdict != .taken { refused += 1 }
    return verdict
  }

  /// One was refused for another reason.
  mutating func refuse() { refused += 1 }
}
