import Cryptography
import RTP
import TestKit

@testable import Lines

/// Nodes whose messages about lines take their time, in the order of each lane; and partitions, after which members are
/// admitted anew.
///
/// What of the media path follows is the routing: who hears whom is what both ends' routings say.
final class LineNetwork {
  static let millisecond: Int64 = 1_000_000
  /// So long after something changed all are to know.
  static let settlingNanoseconds: Int64 = 500 * millisecond

  private struct Parcel {
    let from: Int
    let letter: LineOutbox.Letter
    let arrival: Int64
    /// Which admission the lane is of, at both ends.
    let epoch: Int
  }

  private(set) var now: Int64 = 0
  private(set) var desks: [LineDesk]
  private var instances: [UInt64]
  private var parcels: [Parcel] = []
  /// A number for each time that two became members of each other; 0: they are not.
  private var epochs: [[Int]]
  private var epochCount = 0
  private var admissions: [(node: Int, member: Int, epoch: Int, atNanoseconds: Int64)] = []
  private var random: SplitMix64
  /// Octets of all letters that were sent.
  private(set) var sentOctets = 0
  private(set) var sentLetters = 0

  /// How far apart the moments are at which something arrives.
  private let stepMilliseconds: Int
  /// What a letter takes that is lost once.
  private let slowMilliseconds: Range<Int>
  private let places: [NodeID: Int]

  init(
    nodes: Int, seed: UInt64, stepMilliseconds: Int = 1, slowMilliseconds: Range<Int> = 60..<200
  ) {
    (self.stepMilliseconds, self.slowMilliseconds) = (stepMilliseconds, slowMilliseconds)
    places = Dictionary(uniqueKeysWithValues: (0..<nodes).map { (LineTests.node($0), $0) })
    random = SplitMix64(seed: seed)
    instances = [UInt64](repeating: 1, count: nodes)
    desks = (0..<nodes).map { node in
      var desk = LineDesk(instance: 1, isTalking: false)
      desk.follow(ownNode: LineTests.node(node))
      return desk
    }
    epochs = [[Int]](repeating: [Int](repeating: 0, count: nodes), count: nodes)
    for one in 0..<nodes { for other in 0..<one { meet(one, other) } }
  }

  func draw(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }

  func isMember(_ one: Int, of other: Int) -> Bool { epochs[one][other] != 0 }

  func meet(_ one: Int, _ other: Int) {
    guard !isMember(one, of: other) else { return }
    epochCount += 1
    (epochs[one][other], epochs[other][one]) = (epochCount, epochCount)
    // One end may know much later.
    for (node, member) in [(one, other), (other, one)] {
      let delay = draw(0..<3) == 0 ? draw(1..<100) : 0
      admissions.append((node, member, epochCount, now + Int64(delay) * Self.millisecond))
    }
    admit()
  }

  private func admit() {
    let due = admissions.filter { $0.atNanoseconds <= now }
    admissions.removeAll { $0.atNanoseconds <= now }
    for one in due where epochs[one.node][one.member] == one.epoch {
      desks[one.node].admit(LineTests.node(one.member))
    }
  }

  func part(_ one: Int, _ other: Int) {
    guard isMember(one, of: other) else { return }
    (epochs[one][other], epochs[other][one]) = (0, 0)
    desks[one].depart(LineTests.node(other))
    desks[other].depart(LineTests.node(one))
  }

  /// A node starts anew, with what it kept.
  func restart(_ node: Int) {
    let others = desks.indices.filter { isMember(node, of: $0) }
    for other in others { part(node, other) }
    instances[node] += 1
    desks[node] = LineDesk(
      instance: instances[node], settings: desks[node].settings, isTalking: false)
    desks[node].follow(ownNode: LineTests.node(node))
    for other in others { meet(node, other) }
  }

  func change(_ node: Int, _ body: (inout LineDesk) throws -> Void) {
    try? body(&desks[node])
  }

  /// Lets time pass.
  func run(milliseconds: Int) {
    for _ in 0..<max(1, milliseconds / stepMilliseconds) {
      now += Int64(stepMilliseconds) * Self.millisecond
      step()
    }
  }

  private func step() {
    admit()
    let due = parcels.filter { $0.arrival <= now }
    parcels.removeAll { $0.arrival <= now }
    for parcel in due { deliver(parcel) }
    for node in desks.indices {
      if desks[node].nextDeadlineNanoseconds <= now { desks[node].tick(nowNanoseconds: now) }
      for letter in desks[node].letters(nowNanoseconds: now) {
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
    }
  }

  private func deliver(_ parcel: Parcel) {
    guard let other = places[parcel.letter.node] else { return }
    let isThere = parcel.epoch != 0 && epochs[parcel.from][other] == parcel.epoch
    if isThere {
      try? desks[other].take(
        parcel.letter.octets, of: LineTests.node(parcel.from), nowNanoseconds: now)
    }
    desks[parcel.from].finish(parcel.letter, isDelivered: isThere, nowNanoseconds: now)
  }

  /// Whether the media path lets one node be heard by another, by what both ends' routings say.
  func hears(_ listener: Int, _ talker: Int) -> Bool {
    let (send, play) = (desks[talker].routing, desks[listener].routing)
    let sent = (send.members[LineTests.node(listener)] ?? send.others).addressed
    let gains = (play.members[LineTests.node(talker)] ?? play.others).gains
    guard !send.talk.isDisjoint(with: sent) else { return false }
    return (0..<LineSet.capacity).contains { send.talk.contains(line: $0) && gains[$0] > 0 }
  }

  /// Whether it should, by what keys and lines of both say.
  func shouldHear(_ listener: Int, _ talker: Int) -> Bool {
    let talked = Set(desks[talker].lines.filter(\.isTalking).map(\.name))
    let heard = Set(desks[listener].lines.filter(\.isListening).map(\.name))
    return !talked.isDisjoint(with: heard)
  }
}
