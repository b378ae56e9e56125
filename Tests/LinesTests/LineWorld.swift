import Cryptography
import TestKit
import Testing

@testable import Lines

/// A network of nodes and the model of what their users did, side by side; compared each 100 ms.
///
/// A way by which one hears another and that has been there for half a second has to let it be heard; where there was
/// none for half a second, nothing may be heard. So long counts from the later end's admission after a cut: until then
/// membership is at work (200 ms to 1.5 s here; docs/figures.md has what it takes for real). Who talks on a private
/// line is shown a second after a member comes, as its ends tell each other in turn.
final class LineWorld {
  /// One of two nodes as seen by the other: the ways of ``LineModel``, now and lately.
  struct Pair {
    private(set) var ways: UInt32 = 0
    private var past: [(ways: UInt32, endNanoseconds: Int64)] = []

    mutating func set(_ ways: UInt32, at now: Int64) {
      guard ways != self.ways else { return }
      past.append((self.ways, now))
      self.ways = ways
    }

    /// Nothing is known of it at this moment.
    mutating func blur(at now: Int64) { past += [(0, now), (.max, now)] }

    /// The ways that were there all the time since, and those that were there at all.
    mutating func since(_ start: Int64) -> (always: UInt32, ever: UInt32) {
      var (always, ever) = (ways, ways)
      guard !past.isEmpty else { return (always, ever) }
      past.removeAll { $0.endNanoseconds < start - LineWorld.second }
      for former in past where former.endNanoseconds >= start {
        (always, ever) = (always & former.ways, ever | former.ways)
      }
      return (always, ever)
    }
  }

  static let second = 1000 * LineNetwork.millisecond
  static let crew = try? GroupLabel("crew")

  let count: Int
  let network: LineNetwork
  let hearing: LineHearing
  var model: LineModel
  private(set) var effects: [LineModel.Effect]
  private var heard: [Pair]
  private var shown: [Pair]
  private var views: [[UInt32]]
  var sides: [Int]
  var heals: [(one: Int, other: Int, atNanoseconds: Int64)] = []
  var revivals: [(node: Int, isTalking: Bool, atNanoseconds: Int64)] = []
  /// When two were linked or cut last, and a node joined or left a line.
  private(set) var linkNanoseconds: [Int64]
  var lineNanoseconds: [Int64]
  var rosterNanoseconds: Int64 = 0
  /// Until when nobody touches a node's reply keys: whom it answers has gone, which it may not know.
  var replyNanoseconds: [Int64]
  /// Who may be in a node's reply stack, and until when.
  var callers: [[LineModel.Caller: Int64]]
  /// The last that happened to a reply stack, and who called then, all alone in half a second.
  var callNanoseconds: [Int64]
  var latest: [LineModel.Caller?]
  var invited: [Set<Int>] = [[], []]
  /// What happened, for a failure's text.
  var events: [String] = []
  private(set) var failure: String?
  /// Pairs that were compared and heard, and the ways that were.
  private(set) var (judged, heardCount, heardWays, replies) = (0, 0, UInt32(0), 0)

  var now: Int64 { network.now }

  init(nodes count: Int, seed: UInt64) {
    self.count = count
    network = LineNetwork(nodes: count, seed: seed, stepMilliseconds: 5)
    hearing = LineHearing(network)
    model = LineModel(nodes: count)
    effects = (0..<count).map { [model] in model.effect(of: $0) }
    (heard, shown) = (
      [Pair](repeating: Pair(), count: count * count),
      [Pair](repeating: Pair(), count: count * count)
    )
    views = [[UInt32]](repeating: [UInt32](repeating: 0, count: count), count: count)
    sides = [Int](repeating: 0, count: count)
    linkNanoseconds = [Int64](repeating: 0, count: count * count)
    lineNanoseconds = [Int64](repeating: 0, count: count * LineModel.lines.count)
    replyNanoseconds = [Int64](repeating: 0, count: count)
    callNanoseconds = replyNanoseconds
    callers = [[LineModel.Caller: Int64]](repeating: [:], count: count)
    latest = [LineModel.Caller?](repeating: nil, count: count)
    for node in 0..<count { joinCrew(node) }
    for node in 0..<count { follow(node) }
  }

  func draw(_ range: Range<Int>) -> Int { network.draw(range) }

  func fail(_ text: String) {
    guard failure == nil else { return }
    failure =
      "\(text) at \(now / LineNetwork.millisecond) ms, after: "
      + events.suffix(400).joined(separator: "; ")
  }

  func joinCrew(_ node: Int) {
    guard LineModel.isCrew(node), let crew = Self.crew else { return }
    let members = Set((0..<count).filter(LineModel.isCrew).map { network.ids[$0] })
    network.change(node) { $0.follow(groups: [crew: members]) }
  }

  func isLinked(_ one: Int, _ other: Int) -> Bool { network.isMember(one, of: other) }

  func linkAge(_ one: Int, _ other: Int) -> Int64 { now - linkNanoseconds[one * count + other] }

  /// Whether nothing is cut or dead, nor was of late.
  var isCalm: Bool {
    heals.isEmpty && revivals.isEmpty && model.nodes.allSatisfy(\.isAlive)
      && sides.allSatisfy { $0 == 0 } && now - (linkNanoseconds.max() ?? 0) > 11 * Self.second / 10
  }

  // MARK: What follows of what a user did

  /// A node does something else now.
  func follow(_ node: Int) {
    let former = effects[node].members
    effects[node] = model.effect(of: node)
    for other in former.union(effects[node].members) {
      let caller = LineModel.Caller(node: node, line: nil)
      callers[other][caller] = now + 32 * Self.second
      if former.contains(other) != effects[node].members.contains(other) { noteCall(other, nil) }
    }
    if let caller = model.nodes[node].repliesTo { callers[node][caller] = now + 32 * Self.second }
    for other in 0..<count where other != node {
      follow(node, other)
      follow(other, node)
    }
  }

  private func follow(_ listener: Int, _ talker: Int) {
    let place = listener * count + talker
    guard isLinked(listener, talker) else {
      heard[place].set(0, at: now)
      return shown[place].set(0, at: now)
    }
    let ways = LineModel.ways(listener, effects[listener], effects[talker])
    heard[place].set(ways, at: now)
    var seen = effects[talker].talks & ~LineModel.privateBits
    for line in LineModel.privateLines where model.nodes[listener].lines[line] != nil {
      seen |= effects[talker].talks & 1 << UInt32(line)
    }
    let others = LineModel.aloneBit | LineModel.crewBit | LineModel.announcementBit
    shown[place].set(seen | ways & others, at: now)
  }

  /// Something happened to a node's reply stack: somebody called, or anything else.
  func noteCall(_ node: Int, _ caller: LineModel.Caller?) {
    latest[node] = now - callNanoseconds[node] >= 6 * Self.second / 10 ? caller : nil
    callNanoseconds[node] = now
  }

  // MARK: Cuts

  func cut(_ one: Int, _ other: Int) {
    guard isLinked(one, other) else { return }
    let known = network.part(one, other, withinMilliseconds: 300)
    let replying = [one, other].filter { model.nodes[$0].repliesTo != nil }
    model.cut(one, other)
    noteLink(one, other, at: now)
    for (node, far) in [(one, other), (other, one)] {
      replyNanoseconds[node] = now + 6 * Self.second / 10
      noteCall(node, nil)
      if !model.nodes[node].isAlive { effects[node] = LineModel.Effect() }
      follow(node, far)
    }
    for node in replying where model.nodes[node].repliesTo == nil {
      follow(node)
      doubt(node, until: known)
    }
  }

  /// Somebody whom a node answered is gone, which it knows by then: so long it may talk on.
  func doubt(_ node: Int, until time: Int64) {
    for other in 0..<count where other != node {
      for place in [node * count + other, other * count + node] {
        heard[place].blur(at: time)
        shown[place].blur(at: time)
      }
    }
  }

  private func noteLink(_ one: Int, _ other: Int, at time: Int64) {
    (linkNanoseconds[one * count + other], linkNanoseconds[other * count + one]) = (time, time)
  }

  private func healDue() {
    let now = now
    for revival in revivals where revival.atNanoseconds <= now {
      network.revive(revival.node, isTalking: revival.isTalking)
      joinCrew(revival.node)
      model.revive(revival.node, isTalking: revival.isTalking)
      follow(revival.node)
      heal(revival.node)
    }
    revivals.removeAll { $0.atNanoseconds <= now }
    for heal in heals where heal.atNanoseconds <= now { link(heal.one, heal.other) }
    heals.removeAll { $0.atNanoseconds <= now }
  }

  private func link(_ one: Int, _ other: Int) {
    guard model.nodes[one].isAlive, model.nodes[other].isAlive, sides[one] == sides[other],
      !isLinked(one, other)
    else { return }
    let later = now + Int64(network.meet(one, other)) * LineNetwork.millisecond
    noteLink(one, other, at: later)
    for (node, far) in [(one, other), (other, one)] {
      noteCall(node, nil)
      follow(node, far)
      heard[node * count + far].blur(at: later)
      shown[node * count + far].blur(at: later)
    }
  }

  /// Membership finds those again that can be reached.
  func heal(_ node: Int) {
    for other in 0..<count where other != node && sides[other] == sides[node] {
      let delay = Int64(draw(200..<1500)) * LineNetwork.millisecond
      heals.append((node, other, now + delay))
    }
  }

  // MARK: Time

  /// Lets time pass.
  func run(milliseconds: Int) {
    for _ in 0..<max(1, milliseconds / 5) where failure == nil {
      network.run(milliseconds: 5)
      for node in model.losePedals(at: now) {
        events.append("\(node) pedal is lost")
        settle(node)
      }
      healDue()
      if now / LineNetwork.millisecond % 100 == 0 { look() }
    }
  }

  /// What a node's user did has its effect; whom a reply key that opened by it talks to, the user sees.
  func settle(_ node: Int) {
    if model.wantsCaller(node) {
      let caller = network.desks[node].calls.answering.flatMap(caller)
      check(caller, answeredBy: node)
      model.reply(node, to: caller)
      if caller != nil { replies += 1 }
      if let caller, !canAnswer(caller, node) {
        model.endReply(node)
        replyNanoseconds[node] = now + 6 * Self.second / 10
        doubt(node, until: now + LineNetwork.settlingNanoseconds)
      }
    }
    follow(node)
  }

  private func caller(_ origin: CallOrigin) -> LineModel.Caller? {
    network.places[origin.node].map { place in
      LineModel.Caller(node: place, line: origin.line.flatMap(LineModel.lines.firstIndex))
    }
  }

  private func canAnswer(_ caller: LineModel.Caller, _ node: Int) -> Bool {
    guard isLinked(caller.node, node) else { return false }
    guard let line = caller.line else { return true }
    return [caller.node, node].allSatisfy { model.nodes[$0].lines[line] != nil }
  }

  /// Who called last, if that is beyond doubt.
  func sureCaller(_ node: Int) -> LineModel.Caller? {
    let age = now - callNanoseconds[node]
    guard let caller = latest[node], age >= 6 * Self.second / 10, age < 29 * Self.second,
      canAnswer(caller, node)
    else { return nil }
    return caller
  }

  private func check(_ caller: LineModel.Caller?, answeredBy node: Int) {
    if let sure = sureCaller(node), sure != caller {
      fail("\(node) answers \(String(describing: caller)), and \(sure) called last")
    }
    if let caller, callers[node][caller].map({ $0 < now }) ?? true,
      !effects[caller.node].members.contains(node)
    {
      fail("\(node) answers \(caller), who did not call")
    }
  }

  // MARK: Comparing

  private func look() {
    for node in hearing.follow() { lookAtView(of: node) }
    let half = now - LineNetwork.settlingNanoseconds
    for listener in 0..<count {
      for talker in 0..<count where talker != listener {
        let place = listener * count + talker
        let ways = heard[place].since(half)
        let hears = isLinked(listener, talker) && hearing.hears(listener, talker)
        if ways.always != 0 {
          (judged, heardCount) = (judged + 1, heardCount + 1)
          heardWays |= ways.always
          if !hears { fail("\(listener) does not hear \(talker) by \(ways.always)") }
        } else if ways.ever == 0 {
          judged += 1
          if hears { fail("\(listener) hears \(talker): \(hearing.words(listener, talker))") }
        }
        guard isLinked(listener, talker) else { continue }
        let (seen, view) = (shown[place].since(half), views[listener][talker])
        let old = shown[place].since(half - LineNetwork.settlingNanoseconds)
        let due = seen.always & ~LineModel.privateBits | old.always
        if due & ~view != 0 {
          fail("\(listener) is not shown that \(talker) talks: \(due), sees \(view)")
        }
        if view & ~seen.ever != 0 {
          fail("\(listener) is shown that \(talker) talks: \(view), not \(seen.ever)")
        }
      }
    }
    lookAtKeys(of: draw(0..<count))
  }

  /// What a node shows of others that talk.
  private func lookAtView(of node: Int) {
    let desk = network.desks[node]
    var view = [UInt32](repeating: 0, count: count)
    func add(_ ids: some Sequence<NodeID>, _ bit: UInt32) {
      for id in ids { if let place = network.places[id] { view[place] |= bit } }
    }
    for line in desk.lines where !line.talkers.isEmpty {
      if let number = LineModel.lines.firstIndex(of: line.name) { add(line.talkers, 1 << number) }
    }
    add(desk.calls.announcers, LineModel.announcementBit)
    let alone = desk.calls.incoming.filter { $0.isTalking && $0.origin.line == nil }
    add(alone.map(\.origin.node), LineModel.aloneBit)
    add(desk.directory.members.filter(desk.callDesk.talksToGroup), LineModel.crewBit)
    views[node] = view
  }

  /// Whoever stands before a node sees which of its keys are open and latched.
  private func lookAtKeys(of node: Int) {
    guard model.nodes[node].isAlive, replyNanoseconds[node] <= now else { return }
    let own = model.nodes[node]
    let keys = model.keys(of: node)
    let views = network.desks[node].keys
    for view in views {
      let name = view.key.name
      guard let key = keys[name] else {
        fail("\(node) has a key \(name)")
        continue
      }
      let isLatched = own.fingers[name]?.isLatched == true
      if view.isTalking != model.isOpen(name, key, node) || view.isLatched != isLatched {
        fail("\(node) key \(name): talks \(view.isTalking), latched \(view.isLatched)")
      }
    }
    for name in keys.keys where name != .reply && !views.contains(where: { $0.key.name == name }) {
      fail("\(node) lacks key \(name)")
    }
  }
}
