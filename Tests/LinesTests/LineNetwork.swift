import Cryptography
import RTP
import TestKit

@testable import Lines

/// Nodes whose messages about lines take their time, in the order of each lane, as do their receipts; partitions and
/// kills, after which members are admitted anew.
///
/// What of the media path follows is the routing: who hears whom is what both ends' routings say (``LineHearing``).
final class LineNetwork {
  static let millisecond: Int64 = 1_000_000
  /// So long after something changed all are to know.
  static let settlingNanoseconds: Int64 = 500 * millisecond

  private struct Parcel {
    let from: Int
    let letter: LineOutbox.Letter
    var arrival: Int64
    /// Which admission the lane is of, at both ends.
    let epoch: Int
    /// Whether it was taken: what is under way is the receipt.
    var isTaken = false
  }

  /// What a node's membership is going to say of a member.
  private struct Word {
    let node: Int
    let member: Int
    /// Of an admission.
    let epoch: Int?
    let atNanoseconds: Int64
  }

  private(set) var now: Int64 = 0
  private(set) var desks: [LineDesk]
  private(set) var instances: [UInt64]
  private var parcels: [Parcel] = []
  /// A number for each time that two became members of each other; 0: they are not.
  private var epochs: [[Int]]
  private var epochCount = 0
  private var words: [Word] = []
  /// When each node has something to do; looked up again where it was touched.
  private var deadlines: [Int64]
  private var random: SplitMix64
  /// Octets of all letters that were sent.
  private(set) var sentOctets = 0
  private(set) var sentLetters = 0

  /// How far apart the moments are at which something arrives.
  private let stepMilliseconds: Int
  /// What a letter takes that is lost once.
  private let slowMilliseconds: Range<Int>
  let ids: [NodeID]
  let places: [NodeID: Int]

  init(
    nodes: Int, seed: UInt64, stepMilliseconds: Int = 1, slowMilliseconds: Range<Int> = 60..<200
  ) {
    (self.stepMilliseconds, self.slowMilliseconds) = (stepMilliseconds, slowMilliseconds)
    ids = (0..<nodes).map(LineTests.node)
    places = Dictionary(uniqueKeysWithValues: ids.enumerated().map { ($1, $0) })
    random = SplitMix64(seed: seed)
    instances = [UInt64](repeating: 1, count: nodes)
    deadlines = [Int64](repeating: .min, count: nodes)
    desks = ids.map { node in
      var desk = LineDesk(instance: 1, isTalking: false)
      desk.follow(ownNode: node)
      return desk
    }
    epochs = [[Int]](repeating: [Int](repeating: 0, count: nodes), count: nodes)
    for one in 0..<nodes { for other in 0..<one { meet(one, other) } }
  }

  func draw(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }

  func isMember(_ one: Int, of other: Int) -> Bool { epochs[one][other] != 0 }

  /// Whether what is said of the two is still to be done, at any end.
  func isChanging(_ one: Int, _ other: Int) -> Bool {
    words.contains { ($0.node, $0.member) == (one, other) || ($0.node, $0.member) == (other, one) }
  }

  // MARK: Members

  /// Two are members of each other; one end may know much later.
  ///
  /// - Returns: how much, in milliseconds.
  @discardableResult
  func meet(_ one: Int, _ other: Int) -> Int {
    guard !isMember(one, of: other) else { return 0 }
    // Before it knows somebody anew, it knows that they were gone.
    say { ($0.node, $0.member) == (one, other) || ($0.node, $0.member) == (other, one) }
    epochCount += 1
    (epochs[one][other], epochs[other][one]) = (epochCount, epochCount)
    var latest = 0
    for (node, member) in [(one, other), (other, one)] {
      let delay = draw(0..<3) == 0 ? draw(1..<100) : 0
      latest = max(latest, delay)
      words.append(
        Word(
          node: node, member: member, epoch: epochCount,
          atNanoseconds: now + Int64(delay) * Self.millisecond))
    }
    sayDue()
    return latest
  }

  /// They are no more; each may take so long until it knows.
  ///
  /// - Returns: when both do.
  @discardableResult
  func part(_ one: Int, _ other: Int, withinMilliseconds limit: Int = 0) -> Int64 {
    guard isMember(one, of: other) else { return now }
    let epoch = epochs[one][other]
    (epochs[one][other], epochs[other][one]) = (0, 0)
    words.removeAll { $0.epoch == epoch }
    var latest = now
    for (node, member) in [(one, other), (other, one)] {
      let delay = limit == 0 ? 0 : draw(0..<limit)
      latest = max(latest, now + Int64(delay) * Self.millisecond)
      words.append(
        Word(
          node: node, member: member, epoch: nil,
          atNanoseconds: now + Int64(delay) * Self.millisecond))
    }
    sayDue()
    return latest
  }

  private func sayDue() {
    let now = now
    if words.contains(where: { $0.atNanoseconds <= now }) { say { $0.atNanoseconds <= now } }
  }

  private func say(_ isDue: (Word) -> Bool) {
    let due = words.filter(isDue)
    words.removeAll(where: isDue)
    for word in due {
      if word.epoch == nil {
        touch(word.node) { $0.depart(ids[word.member]) }
      } else {
        touch(word.node) { $0.admit(ids[word.member]) }
      }
    }
  }

  /// A node is killed, and everybody else notices.
  func kill(_ node: Int, withinMilliseconds limit: Int = 0) {
    for other in desks.indices { part(node, other, withinMilliseconds: limit) }
    // Of a process that is gone nothing is left to notice.
    words.removeAll { $0.node == node }
    for parcel in parcels where parcel.from != node {
      if places[parcel.letter.node] == node {
        touch(parcel.from) {
          $0.finish(parcel.letter, isDelivered: false, nowNanoseconds: now)
        }
      }
    }
    parcels.removeAll { $0.from == node || places[$0.letter.node] == node }
  }

  /// It starts anew, with what it kept, and nobody knows it yet.
  func revive(_ node: Int, isTalking: Bool = false) {
    instances[node] += 1
    let kept = LineSettings(desks[node].settings.octets)
    desks[node] = LineDesk(
      instance: instances[node], settings: kept ?? LineSettings(), isTalking: isTalking)
    touch(node) { $0.follow(ownNode: ids[node]) }
  }

  /// A node starts anew, with what it kept.
  func restart(_ node: Int) {
    let others = desks.indices.filter { isMember(node, of: $0) }
    kill(node)
    revive(node)
    for other in others { meet(node, other) }
  }

  // MARK: Time

  private func touch<Result>(_ node: Int, _ body: (inout LineDesk) -> Result) -> Result {
    deadlines[node] = .min
    return body(&desks[node])
  }

  func change(_ node: Int, _ body: (inout LineDesk) throws -> Void) {
    touch(node) { try? body(&$0) }
  }

  /// Does something that may be refused; what is thrown then.
  func attempt(
    _ node: Int, _ body: (inout LineDesk) throws(LineError) -> Void
  ) -> LineError? {
    touch(node) { desk in
      do throws(LineError) {
        try body(&desk)
        return nil
      } catch {
        return error
      }
    }
  }

  /// Lets time pass.
  func run(milliseconds: Int) {
    for _ in 0..<max(1, milliseconds / stepMilliseconds) {
      now += Int64(stepMilliseconds) * Self.millisecond
      step()
    }
  }

  private func step() {
    sayDue()
    let now = now
    if parcels.contains(where: { $0.arrival <= now }) {
      let due = parcels.filter { $0.arrival <= now }
      parcels.removeAll { $0.arrival <= now }
      for parcel in due { deliver(parcel) }
    }
    for node in desks.indices where deadlines[node] <= now {
      if desks[node].nextDeadlineNanoseconds <= now { desks[node].tick(nowNanoseconds: now) }
      // In an order that is the same in each run of a seed.
      let letters = desks[node].letters(nowNanoseconds: now).sorted { $0.node < $1.node }
      for letter in letters {
        sentOctets += letter.octets.count
        sentLetters += 1
        // Few take long; TCP sends again what was lost.
        let delay = draw(0..<20) == 0 ? draw(slowMilliseconds) : draw(1..<40)
        let other = places[letter.node] ?? 0
        parcels.append(
          Parcel(
            from: node, letter: letter, arrival: now + Int64(delay) * Self.millisecond,
            epoch: epochs[node][other]))
      }
      deadlines[node] = desks[node].nextDeadlineNanoseconds
    }
  }

  private func deliver(_ parcel: Parcel) {
    guard let other = places[parcel.letter.node] else { return }
    let isThere = parcel.epoch != 0 && epochs[parcel.from][other] == parcel.epoch
    guard isThere, !parcel.isTaken else {
      return touch(parcel.from) {
        $0.finish(parcel.letter, isDelivered: isThere, nowNanoseconds: now)
      }
    }
    touch(other) { try? $0.take(parcel.letter.octets, of: ids[parcel.from], nowNanoseconds: now) }
    // What changes meanwhile waits for it.
    var receipt = parcel
    (receipt.isTaken, receipt.arrival) = (true, now + Int64(draw(1..<40)) * Self.millisecond)
    parcels.append(receipt)
  }
}
