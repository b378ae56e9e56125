public import Cryptography
internal import Glibc
internal import RTP

/// A node's lines and keys: what its user and its devices do, what other members tell, and what follows for the media
/// path, for the others and for those who look.
///
/// Sans-I/O: one call at a time, all times of one steady clock. After each call ``routing`` is what the media path
/// should do, ``letters(nowNanoseconds:)`` is what goes to other members, and at ``nextDeadlineNanoseconds`` comes the
/// next ``tick(nowNanoseconds:)``.
///
/// A line is there while anyone is on it. Each node tells all members which lines it is on and what it does there, by
/// versions; nobody tells of others. So nothing can contradict, and after a partition each end says its own again.
public struct LineDesk: Sendable {
  private(set) var own = OwnLines()
  private(set) var desk = KeyDesk()
  /// Where guests of this node, by number, talk.
  private(set) var guests: [Int: GuestTalk] = [:]
  /// The lines that inputs of this node are for, by the input's name; those that are not there are for all members.
  private(set) var inputs: [String: [LineName]] = [:]
  private(set) var directory = LineDirectory()
  private var outbox = LineOutbox()
  /// How loud all of it is, and what gives way to what.
  public private(set) var ear = EarSettings()
  /// The most lines with outputs of their own; the rest of the buses has other uses.
  public var portLimit = LineLimits.ports
  private(set) var privates = PrivateLines()
  private(set) var callDesk: CallDesk
  private var callOutbox: CallOutbox
  /// Whom users mean.
  private(set) var book = MemberBook()
  /// Whom the keys talk to.
  private(set) var talk = TalkPlan()
  /// Who may set what here.
  public private(set) var operators: [NodeID: OperatorRights] = [:]
  /// The latest time that was given.
  private var now: Int64 = .min / 2
  private(set) var version: LineVersion
  /// The version's count when this node's lines changed last.
  private var linesCount: UInt64 = 1
  /// As others were told last, or are about to be.
  private var told: LineRecord
  /// How often something changed that is shown.
  public private(set) var revision: UInt64 = 0
  /// Messages of others that were refused, by reason.
  public private(set) var violations: [LineViolation: Int] = [:]

  /// The desk of a node's start.
  ///
  /// - Parameters:
  ///   - instance: the number of the start, higher than those before.
  ///   - settings: of the former run, or of a file; of too many lines the first.
  public init(instance: UInt64, settings: LineSettings = LineSettings(), isTalking: Bool = true) {
    version = LineVersion(instance: instance, count: 1)
    told = LineRecord(version: version)
    (callDesk, callOutbox) = (CallDesk(instance: instance), CallOutbox(instance: instance))
    for line in settings.lines {
      _ = try? own.join(line.name)
      try? own.change(line.name) {
        ($0.isListening, $0.levelDecibels) = (line.isListening, line.levelDecibels)
      }
    }
    for line in settings.privateLines {
      try? own.joinPrivate(line.name)
      try? own.change(line.name) {
        ($0.isListening, $0.levelDecibels) = (line.isListening, line.levelDecibels)
      }
      if own.privateLines[line.name] != nil { privates.restore(line.name, line.id, line.roster) }
    }
    for (line, display) in settings.displays { try? own.setDisplay(display, of: line) }
    for key in settings.keys { try? desk.set(key) }
    (ear, operators) = (settings.ear, settings.operators)
    if isTalking, let key = talkKey { desk.set(key, latched: true) }
    talk = plan
    told = record()
  }

  // MARK: Lines

  /// Makes a line that nobody in the group is on, and is on it.
  public mutating func makeLine(_ name: LineName) throws(LineError) {
    let names = allNames
    guard !names.contains(name) else { throw .lineExists(name) }
    // `all` is one more.
    guard names.count <= LineLimits.lines else { throw .tooManyLines }
    _ = try own.join(name)
    settle()
  }

  /// Is on a line of the group.
  public mutating func joinLine(_ name: LineName) throws(LineError) {
    guard let name = allNames.first(where: { $0 == name }) else { throw .noSuchLine(name) }
    if try own.join(name) { settle() }
  }

  /// This node's own ID, which private lines need.
  public mutating func follow(ownNode: NodeID) {
    privates.take(ownNode: ownNode)
    settle()
  }

  /// Changes the lines that this node is on; what throws changes nothing.
  mutating func change(
    _ body: (inout OwnLines, inout PrivateLines) throws(LineError) -> Void
  ) throws(LineError) {
    var (own, privates) = (own, privates)
    try body(&own, &privates)
    (self.own, self.privates) = (own, privates)
    settle()
  }

  /// Lines that others took this node off.
  private mutating func forgetLostLines() {
    for name in privates.takeLost() { forgetLine(name) }
  }

  private mutating func forgetLine(_ name: LineName) {
    try? own.leave(name)
    ear.forget(name)
    desk.settle(on: own.names)
    callDesk.endCall(.line(name))
    forgetCallsOfOthersLines()
  }

  /// Is on a line no more.
  public mutating func leaveLine(_ name: LineName) throws(LineError) {
    let isPrivate = own.privateLines[name] != nil
    if isPrivate || !own.has(name) && !privates.invitations(to: name).isEmpty {
      privates.leave(name)
    } else {
      var rest = own
      try rest.leave(name)
    }
    forgetLine(name)
    settle()
  }

  /// What gives way to a line, and what it gives way to: 0 (below standard) … 4 (emergency).
  public mutating func setPriority(_ priority: Int, of name: LineName) throws(LineError) {
    guard EarSettings.priorities.contains(priority) else { throw .badPriority(priority) }
    guard own.has(name) else { throw .notOnLine(name) }
    ear.setPriority(priority, of: name)
    settle()
  }

  /// Where a line is heard, −1 (left) … 1 (right).
  public mutating func setPan(_ pan: Double, of name: LineName) throws(LineError) {
    guard LineLimits.pan.contains(pan) else { throw .badPan(pan) }
    guard own.has(name) else { throw .notOnLine(name) }
    ear.setPan(pan, of: name)
    settle()
  }

  /// Gives a line a JACK output of its own, or none.
  public mutating func setPort(_ isOn: Bool, of name: LineName) throws(LineError) {
    guard own.has(name) else { throw .notOnLine(name) }
    guard !isOn || ear.hasPort(name) || wishedPorts.count < portLimit else {
      throw .noFreePort(portLimit)
    }
    ear.setPort(isOn, of: name)
    settle()
  }

  /// Changes settings of the ear, by name and as they are written; the others stay.
  public mutating func setEar(_ changes: [String: String]) throws(LineError) {
    try ear.set(changes)
    settle()
  }

  // MARK: Keys

  /// Sets a key.
  public mutating func setKey(_ key: Key) throws(LineError) {
    try desk.set(key)
    // It may take the place of a line's own key: a latch of that would come back with it, unseen till then.
    desk.settle(on: own.names)
    settle()
  }

  /// Removes a key that was set.
  public mutating func removeKey(_ name: KeyName) throws(LineError) {
    let key = try desk.key(name, on: own.names)
    try desk.remove(key.name)
    desk.settle(on: own.names)
    settle()
  }

  /// A finger goes down on a key; again by the same holder: it is still there.
  public mutating func press(
    _ name: KeyName, by holder: KeyHolder = .command, nowNanoseconds now: Int64
  ) throws(LineError) {
    self.now = max(self.now, now)
    let key = try key(name)
    let isOpen = desk.talks(key)
    if key.targets == [.reply], !isOpen, callDesk.stack.isEmpty { throw .nobodyCalled }
    let (former, before) = (desk, talk)
    try desk.press(key, by: holder, on: own.names, nowNanoseconds: now)
    let after = plan
    guard after.audiences.count <= AudienceList.limit else {
      desk = former
      throw .tooManyAudiences
    }
    answer(by: after, unlike: before)
    if !isOpen, key.targets.contains(.reply) { callDesk.pressReply() }
    settle()
  }

  private func key(_ name: KeyName) throws(LineError) -> Key {
    do throws(LineError) {
      return try desk.key(name, on: own.names)
    } catch {
      throw name == .reply ? .nobodyCalled : error
    }
  }

  /// Whoever is talked to from now on, and called, is answered.
  private mutating func answer(by talk: TalkPlan, unlike before: TalkPlan) {
    let nodes = Set(
      talk.audiences.filter { $0.key == $0.value.first.map(Audience.member) }.values.flatMap(\.self)
    )
    .subtracting(before.audiences.values.flatMap { $0 })
    let lines = talk.lines.subtracting(before.lines)
    callDesk.talk(
      to: Set(
        callDesk.stack.map(\.origin).filter { origin in
          origin.line.map(lines.contains) ?? nodes.contains(origin.node)
        }), nowNanoseconds: now)
  }

  /// The finger goes up, after a tap or not where its holder knows; nil: by the times.
  public mutating func release(
    _ name: KeyName, by holder: KeyHolder = .command, isTap: Bool? = nil, nowNanoseconds now: Int64
  ) throws(LineError) {
    self.now = max(self.now, now)
    let key = try key(name)
    if try desk.release(key, by: holder, isTap: isTap, nowNanoseconds: now) { turnListening(key) }
    settle()
  }

  /// A device or a page is there still; without that it holds nothing after a second.
  public mutating func renew(_ holder: Label, nowNanoseconds now: Int64) throws(LineError) {
    try desk.note(.device(holder), now)
    callDesk.renew(holder, nowNanoseconds: now)
  }

  /// The MIDI port is there still, as a device says; or what it held is let go of.
  public mutating func noteMIDI(isThere: Bool, nowNanoseconds now: Int64) {
    guard !isThere else { return (try? desk.note(.midi, now)) ?? () }
    desk.lose(.midi, on: own.names, nowNanoseconds: now)
    settle()
  }

  /// Listens to a key's lines, or to none of them if it listens to all.
  private mutating func turnListening(_ key: Key) {
    let lines = key.lines(among: own.names).compactMap { own.line($0) }
    let isOn = !lines.allSatisfy(\.isListening)
    for line in lines { try? own.change(line.name) { $0.isListening = isOn } }
  }

  /// Switches the key of the line `all`.
  public mutating func setTalk(_ isOn: Bool) throws(LineError) {
    guard let key = talkKey, key.activation.talks else { throw .noTalkKey(talkKey?.name ?? .all) }
    desk.set(key, latched: isOn)
    settle()
  }

  /// Releases all latches; what a finger holds, or talks always, stays open.
  public mutating func releaseLatches() -> ReleasedKeys {
    defer { settle() }
    return desk.releaseLatches(on: own.names)
  }

  /// Lets a member set something here; nil: nothing any more.
  public mutating func setOperator(_ node: NodeID, _ rights: OperatorRights?) throws(LineError) {
    try OperatorRights.set(rights, of: node, in: &operators)
    revision += 1
  }

  // MARK: Guests

  /// A guest of this node talks there from now on, and nowhere else; nil: it is none any more.
  public mutating func setGuest(_ number: Int, talking talk: GuestTalk?) {
    guard guests[number] != talk else { return }
    guests[number] = talk
    settle()
  }

  // MARK: Inputs

  /// Inputs are for these lines from the start on, as they were set before; those that this node is not on count once
  /// it is.
  public mutating func restoreInputs(_ inputs: [String: [LineName]]) {
    self.inputs = inputs.filter { !$0.value.isEmpty && !$0.value.contains(.all) }
    settle()
  }

  /// An input is for members on these lines alone; none, or `all` among them: for all members.
  public mutating func setInput(_ input: String, lines: [LineName]) throws(LineError) {
    for line in lines where own.number(of: line) == nil { throw .notOnLine(line) }
    inputs[input] = lines.isEmpty || lines.contains(.all) ? nil : lines
    settle()
  }

  // MARK: Calls

  /// Calls a member, or all who are on a line, until somebody answers, 30 s at most.
  ///
  /// - Parameter holder: ends the call where it says nothing for a second; nil: nobody need hold it.
  public mutating func call(
    _ target: CallTarget, holder: Label? = nil, nowNanoseconds now: Int64
  ) throws(LineError) {
    self.now = max(self.now, now)
    switch target {
    case .member(let node):
      guard directory.members.contains(node) else {
        throw .noSuchMember(book.called[node] ?? node.text)
      }
    case .line(let line):
      guard own.has(line) else { throw .notOnLine(line) }
    }
    try callDesk.call(target, holder: holder, nowNanoseconds: now)
    settle()
  }

  /// Calls no more.
  public mutating func endCall(_ target: CallTarget) {
    callDesk.endCall(target)
    settle()
  }

  /// Forgets calls that came.
  ///
  /// - Parameter nodes: whose; nil: the latest one.
  public mutating func clearCalls(of nodes: Set<NodeID>? = nil, nowNanoseconds now: Int64) {
    self.now = max(self.now, now)
    callDesk.clear(nodes.map { nodes in { nodes.contains($0.node) } }, nowNanoseconds: now)
    settle()
  }

  /// Ends the reply, and forgets the call that it was for: both in one.
  public mutating func replyThenClear(nowNanoseconds now: Int64) throws(LineError) {
    guard let origin = callDesk.answering ?? callDesk.latest?.origin else {
      throw .nobodyCalled
    }
    self.now = max(self.now, now)
    callDesk.clear({ $0 == origin }, nowNanoseconds: now)
    settle()
  }

  /// Calls that came since this was asked last.
  public mutating func takeNewCalls() -> [CallOrigin] { callDesk.takeUntold() }

  /// Members are called so, here or away.
  public mutating func follow(called: [NodeID: String]) {
    guard called != book.called else { return }
    book.called = called
    settle()
  }

  /// These have proved to share groups' secrets.
  public mutating func follow(groups: [GroupLabel: Set<NodeID>]) {
    guard groups != book.groups else { return }
    book.groups = groups
    settle()
  }

  /// A call on a line needs both to be on it.
  private mutating func forgetCallsOfOthersLines() {
    let before = self
    callDesk.keep(before.isShared)
  }

  // MARK: Others

  /// A node is a member, for the first time or again.
  public mutating func admit(_ node: NodeID) {
    directory.admit(node)
    outbox.admit(node)
    callOutbox.admit(node)
    settle()
  }

  /// It is one no more.
  public mutating func depart(_ node: NodeID) {
    directory.depart(node)
    outbox.depart(node)
    callOutbox.depart(node)
    callDesk.depart(node)
    privates.depart(node)
    settle()
  }

  /// Takes a message of a member.
  ///
  /// - Throws: which rule it breaks; it is counted, and nothing of it is taken.
  public mutating func take(
    _ octets: [UInt8], of node: NodeID, nowNanoseconds now: Int64
  ) throws(LineViolation) {
    self.now = max(self.now, now)
    do throws(LineViolation) {
      try directory.count(node, nowNanoseconds: self.now)
      guard let message = try LineMessage(octets) else { return }
      if case .calls(let version, let content) = message {
        try take(content, version, of: node)
      } else if directory.take(message, of: node) {
        revision += 1
        if callDesk.isUsed {
          forgetCallsOfOthersLines()
          settle()
        }
      }
      if case .record(_, asks: true) = message {
        outbox.forget(node)
        callOutbox.forget(node)
      }
    } catch {
      violations[error, default: 0] += 1
      throw error
    }
  }

  private mutating func take(
    _ content: CallContent, _ version: LineVersion, of node: NodeID
  ) throws(LineViolation) {
    guard directory.isHeard(node) else { return }
    defer { settle() }
    let before = self
    let isNew = try callDesk.take(
      content, version, of: node, isThere: before.isShared, nowNanoseconds: now)
    guard isNew else { return }
    privates.take(content.privateLines, of: node)
    forgetLostLines()
    if callDesk.isUsed { forgetCallsOfOthersLines() }
  }

  /// What is to be sent to members now; each ends with ``finish(_:isDelivered:nowNanoseconds:)``.
  public mutating func letters(nowNanoseconds now: Int64) -> [LineOutbox.Letter] {
    outbox.letters(
      of: told, linesCount: linesCount, knows: directory.hasAll, nowNanoseconds: now)
      + callOutbox.letters(nowNanoseconds: now)
  }

  /// A message was acknowledged, or will not be.
  public mutating func finish(
    _ letter: LineOutbox.Letter, isDelivered: Bool, nowNanoseconds now: Int64
  ) {
    if isDelivered, letter.asks, outbox.counts(letter) { directory.hasAsked(letter.node) }
    outbox.finish(letter, isDelivered: isDelivered, nowNanoseconds: now)
    callOutbox.finish(letter, isDelivered: isDelivered, nowNanoseconds: now)
  }

  // MARK: Time

  /// When ``tick(nowNanoseconds:)`` has something to do; `max`: not before something else happens.
  public var nextDeadlineNanoseconds: Int64 {
    min(
      desk.nextDeadlineNanoseconds, callDesk.nextDeadlineNanoseconds,
      outbox.nextDeadlineNanoseconds(of: told), callOutbox.nextDeadlineNanoseconds)
  }

  /// Lets go of what devices hold that are gone, and of calls whose time is over.
  public mutating func tick(nowNanoseconds now: Int64) {
    self.now = max(self.now, now)
    guard min(desk.nextDeadlineNanoseconds, callDesk.nextDeadlineNanoseconds) <= now else { return }
    desk.expire(on: own.names, nowNanoseconds: now)
    callDesk.tick(nowNanoseconds: now)
    settle()
  }

  /// Something changed here: it is shown, and told where others see a difference.
  private mutating func settle() {
    revision += 1
    for key in refusedLatches { desk.unlatch(key) }
    followReply()
    talk = plan
    callOutbox.follow(callContents)
    var next = record()
    guard
      (next.lines, next.talking, next.listening) != (told.lines, told.talking, told.listening)
    else { return }
    version.count += 1
    if next.lines != told.lines { linesCount = version.count }
    next.version = version
    told = next
  }

  /// The reply key talks to who called last when it opened, and to nobody else until it closes: it does so when who is
  /// answered is gone.
  private mutating func followReply() {
    if desk.replies(on: own.names) {
      callDesk.answer(isForced: desk.repliesAlways(on: own.names), nowNanoseconds: now)
      if callDesk.answering == nil { desk.closeReplies(on: own.names) }
    }
    if !desk.replies(on: own.names) { callDesk.hangUp(nowNanoseconds: now) }
    let hasCalls = !callDesk.stack.isEmpty
    guard hasCalls != desk.hasCalls else { return }
    desk.hasCalls = hasCalls
    desk.settle(on: own.names)
  }
}
