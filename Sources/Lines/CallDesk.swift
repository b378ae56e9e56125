import Cryptography

/// A node's calls: those that it makes, and the stack of those that came, of which the latest is answered first.
///
/// Sans-I/O: one call at a time, all times of one steady clock. What two nodes tell each other is what is so now, so
/// that a message that is lost, late or twice does no harm.
///
/// A call that came: new number → rings → {answered, cleared, ended by its caller, 30 s} → still →
/// {rings again, 30 s} → gone. While it is answered (``answering``) it stays.
struct CallDesk {
  private struct Heard {
    var version: LineVersion
    var content: CallContent
  }

  private let instance: UInt64
  private var count: UInt64 = 0
  private(set) var outgoing: [CallTarget: OutgoingCall] = [:]
  /// The latest first.
  private(set) var stack: [IncomingCall] = []
  /// Whom the reply key talks to, as long as it is open.
  private(set) var answering: CallOrigin?
  /// Whether a reply key is open, be it that nobody is there any more whom it would talk to.
  private var isReplying = false
  private var heard: [NodeID: Heard] = [:]
  /// Calls of members that ring there still, and are over here.
  private var ended: [NodeID: [UInt64: CallEnd]] = [:]
  /// Calls that came and were not told of.
  private var untold: [CallOrigin] = []
  /// New calls of this second, by member.
  private var rings: [NodeID: (count: Int, sinceNanoseconds: Int64)] = [:]

  init(instance: UInt64) { self.instance = instance }

  // MARK: Calling

  /// Calls, or goes on calling with another end.
  mutating func call(
    _ target: CallTarget, holder: Label?, nowNanoseconds now: Int64
  ) throws(LineError) {
    guard outgoing[target] == nil else {
      // Whoever holds it tells that it is there.
      if outgoing[target]?.holder == holder { renew(holder, nowNanoseconds: now) }
      return
    }
    guard outgoing.count < LineLimits.calls else { throw .tooManyCalls }
    count += 1
    outgoing[target] = OutgoingCall(
      target: target, holder: holder, number: instance << 32 | count & 0xFFFF_FFFF,
      sinceNanoseconds: now,
      leaseNanoseconds: holder == nil ? .max : now + LineLimits.leaseNanoseconds)
  }

  /// Calls no more.
  mutating func endCall(_ target: CallTarget) { outgoing[target] = nil }

  /// A holder is there still.
  mutating func renew(_ holder: Label?, nowNanoseconds now: Int64) {
    guard let holder else { return }
    for (target, call) in outgoing where call.holder == holder {
      outgoing[target]?.leaseNanoseconds = now + LineLimits.leaseNanoseconds
    }
  }

  // MARK: Answering

  /// Who called last, of those that the user has not cleared.
  var latest: IncomingCall? { stack.first { !$0.isCleared } }

  /// A reply key is open: whom it talks to until it closes is who called last when it opened, or nobody.
  ///
  /// - Parameter isForced: it is open always, and talks to who calls next.
  mutating func answer(isForced: Bool, nowNanoseconds now: Int64) {
    defer { isReplying = true }
    guard answering == nil, isForced || !isReplying else { return }
    guard let latest = latest ?? (isForced ? nil : stack.first) else { return }
    answering = latest.origin
    change(latest.origin) { $0.isCleared = false }
    end(latest.origin, .answered, nowNanoseconds: now)
  }

  /// A reply key is pressed: where another is open that talks to nobody, both talk to who called last.
  mutating func pressReply() { if answering == nil { isReplying = false } }

  /// It closes.
  mutating func hangUp(nowNanoseconds now: Int64) {
    isReplying = false
    guard let origin = answering else { return }
    answering = nil
    change(origin) { $0.lastNanoseconds = now }
  }

  /// A key talks to whom a call came from: that is an answer.
  mutating func talk(to origins: Set<CallOrigin>, nowNanoseconds now: Int64) {
    for call in stack where call.isRinging && origins.contains(call.origin) {
      end(call.origin, .answered, nowNanoseconds: now)
    }
  }

  /// Forgets calls; nil: the latest.
  ///
  /// Who talks to this node alone is seen until that ends.
  mutating func clear(_ isMeant: ((CallOrigin) -> Bool)?, nowNanoseconds now: Int64) {
    let latest = latest?.origin
    let calls = stack.filter { isMeant?($0.origin) ?? ($0.origin == latest) }
    for call in calls {
      end(call.origin, .cleared, nowNanoseconds: now)
      if answering == call.origin { answering = nil }
      change(call.origin) { $0.isCleared = true }
    }
    stack.removeAll { $0.isCleared && !$0.isTalking }
  }

  /// It does not ring here any more, and its caller learns that.
  private mutating func end(_ origin: CallOrigin, _ how: CallEnd, nowNanoseconds now: Int64) {
    guard let call = stack.first(where: { $0.origin == origin }), call.isRinging else { return }
    change(origin) { ($0.isRinging, $0.lastNanoseconds) = (false, now) }
    if let number = call.number { ended[origin.node, default: [:]][number] = how }
  }

  private mutating func change(_ origin: CallOrigin, _ body: (inout IncomingCall) -> Void) {
    guard let index = stack.firstIndex(where: { $0.origin == origin }) else { return }
    var call = stack[index]
    body(&call)
    stack[index] = call
  }

  /// Who is gone cannot be talked to.
  private mutating func keepAnswering() {
    if let origin = answering, !stack.contains(where: { $0.origin == origin }) { answering = nil }
  }

  // MARK: Others

  mutating func depart(_ node: NodeID) {
    stack.removeAll { $0.origin.node == node }
    (heard[node], ended[node], rings[node]) = (nil, nil, nil)
    keepAnswering()
  }

  /// A line was left, here or there.
  mutating func keep(_ isThere: (CallOrigin) -> Bool) {
    stack.removeAll { !isThere($0.origin) }
    keepAnswering()
  }

  /// Takes what a member tells.
  ///
  /// - Parameter isThere: whether a call can come from there: both are on its line.
  /// - Returns: false: it is old.
  /// - Throws: that it calls too often; what is more is not taken.
  mutating func take(
    _ content: CallContent, _ version: LineVersion, of node: NodeID,
    isThere: (CallOrigin) -> Bool, nowNanoseconds now: Int64
  ) throws(LineViolation) -> Bool {
    let before = heard[node]
    guard before.map({ $0.version < version }) ?? true else { return false }
    heard[node] = Heard(version: version, content: content)
    for (target, call) in outgoing {
      guard let how = content.ended[call.number] else { continue }
      switch target {
      case .member(let member): if member == node { outgoing[target] = nil }
      // Of those on a line one may answer for all, and nobody clears it for another.
      case .line: if how == .answered { outgoing[target] = nil }
      }
    }
    let numbers = Set(content.calls.map(\.number))
    ended[node] = ended[node]?.filter { numbers.contains($0.key) }
    for call in stack where call.origin.node == node {
      change(call.origin) { call in
        if call.isRinging, call.number.map(numbers.contains) != true {
          (call.isRinging, call.lastNanoseconds) = (false, now)
        }
      }
    }
    follow(talk: content.talksAlone, of: node, nowNanoseconds: now)
    for entry in content.calls {
      let origin = CallOrigin(node: node, line: entry.line)
      guard isThere(origin), ended[node]?[entry.number] == nil,
        !stack.contains(where: { $0.origin == origin && $0.number == entry.number })
      else { continue }
      try countRing(of: node, nowNanoseconds: now)
      ring(origin, entry.number, nowNanoseconds: now)
    }
    return true
  }

  private mutating func countRing(of node: NodeID, nowNanoseconds now: Int64) throws(LineViolation)
  {
    var second = rings[node] ?? (0, now)
    if now - second.sinceNanoseconds >= 1_000_000_000 { second = (0, now) }
    guard second.count < LineLimits.ringsPerSecond else { throw .tooManyCalls }
    second.count += 1
    rings[node] = second
  }

  private mutating func follow(talk isTalking: Bool, of node: NodeID, nowNanoseconds now: Int64) {
    let origin = CallOrigin(node: node, line: nil)
    let known = stack.first { $0.origin == origin }
    guard isTalking != known?.isTalking ?? false else { return }
    if let known {
      change(origin) { ($0.isTalking, $0.lastNanoseconds) = (isTalking, now) }
      stack.removeAll { $0.isCleared && !$0.isTalking }
      guard isTalking, let index = stack.firstIndex(where: { $0.origin == known.origin }) else {
        return
      }
      stack.insert(stack.remove(at: index), at: 0)
    } else {
      push(
        IncomingCall(
          origin: origin, isRinging: false, isTalking: true, number: nil, rangNanoseconds: now,
          lastNanoseconds: now), nowNanoseconds: now)
    }
  }

  /// Calls that came since this was asked last, the latest few.
  mutating func takeUntold() -> [CallOrigin] {
    defer { untold = [] }
    return untold
  }

  private mutating func ring(_ origin: CallOrigin, _ number: UInt64, nowNanoseconds now: Int64) {
    untold = untold.suffix(LineLimits.replyStack - 1) + [origin]
    let known = stack.first { $0.origin == origin }
    stack.removeAll { $0.origin == origin }
    push(
      IncomingCall(
        origin: origin, isRinging: true, isTalking: known?.isTalking ?? false, number: number,
        rangNanoseconds: now, lastNanoseconds: now), nowNanoseconds: now)
  }

  /// Puts a call on top; of too many the oldest goes that nobody answers.
  private mutating func push(_ call: IncomingCall, nowNanoseconds now: Int64) {
    stack.insert(call, at: 0)
    guard stack.count > LineLimits.replyStack,
      let oldest = stack.last(where: { $0.origin != answering && !$0.isTalking })
        ?? stack.last(where: { $0.origin != answering })
    else { return }
    end(oldest.origin, .cleared, nowNanoseconds: now)
    stack.removeAll { $0.origin == oldest.origin }
  }

  /// Whether a member talks to a group that this node is in.
  func talksToGroup(_ node: NodeID) -> Bool { heard[node]?.content.talksToGroup ?? false }

  /// Members that let no key for them alone latch.
  var latchRefusers: Set<NodeID> {
    Set(heard.lazy.filter { $0.value.content.refusesLatch }.map(\.key))
  }

  /// Whether any member is to be told anything.
  var hasNews: Bool { !outgoing.isEmpty || ended.contains { !$0.value.isEmpty } }

  /// Whether anybody calls, or did.
  var isUsed: Bool { hasNews || !stack.isEmpty }

  /// What a member is to be told, of calls.
  func content(for node: NodeID, isOn: (LineName) -> Bool) -> CallContent {
    var content = CallContent()
    for call in outgoing.values {
      switch call.target {
      case .member(let member):
        if member == node {
          content.calls.append(CallContent.Entry(number: call.number, line: nil))
        }
      case .line(let line):
        if isOn(line) { content.calls.append(CallContent.Entry(number: call.number, line: line)) }
      }
    }
    content.calls.sort { $0.number < $1.number }
    content.ended = ended[node] ?? [:]
    return content
  }

  // MARK: Time

  /// When ``tick(nowNanoseconds:)`` has something to do; `max`: not before something else happens.
  var nextDeadlineNanoseconds: Int64 {
    let calls = outgoing.values.map(\.deadlineNanoseconds).min() ?? .max
    return stack.filter { $0.origin != answering || $0.isRinging }.map(\.deadlineNanoseconds)
      .reduce(calls, min)
  }

  /// Ends what rang for long enough, and forgets what is over.
  mutating func tick(nowNanoseconds now: Int64) {
    outgoing = outgoing.filter { $0.value.deadlineNanoseconds > now }
    for call in stack where call.deadlineNanoseconds <= now {
      if call.isRinging {
        end(call.origin, .cleared, nowNanoseconds: now)
      } else if call.origin != answering {
        stack.removeAll { $0.origin == call.origin }
      }
    }
  }
}
