internal import Cryptography
internal import EventLoop
internal import Glibc
internal import Habits
internal import Intercom
internal import Journal
internal import Lines
internal import Logging
internal import Mesh
internal import Messages
internal import Panel
internal import Recording
internal import StatusSchema
internal import Store

/// The messages of this node: brings what ``MessageDesk`` decides to the lanes, the log and those who look.
///
/// Runs on a thread of its own, as a disk may take its time.
actor MessageOffice {
  /// What is not kept is seen so long by whoever looks.
  private static let passingSeconds = 60
  /// Octets of messages in memory, where nothing else holds them.
  private static let memoryBytes = 4_000_000

  /// What is being sent to a member on one channel.
  private struct Pump: Hashable {
    let node: NodeID
    let channel: LaneChannel
  }

  let state: NodeState
  /// Speaks those that are to be heard.
  let aloud: AloudDesk
  private let journal: Journal
  let desk: MessageDesk
  private let lane: any ApplicationLane
  private let log: Logger
  /// Told when something changed that people see, and how often that was.
  private var changes: (tell: @Sendable () -> Void, count: Int) = ({}, 0)
  /// Why the journal does not outlive this run; nil: it does.
  private let problem: String?
  private var diskProblem: String?
  private var groupNews = GroupNews()
  private(set) var names: [NodeID: String] = [:]
  private var laneSequence: UInt64
  private var pumping: Set<Pump> = []
  private var alarm = Alarm()
  private var told = TellingInterval<MessageFault>(seconds: 60)
  private var waiters: [CheckedContinuation<Void, Never>] = []
  private var lastNumber: Int64 = 0
  private var sweep: HistorySweep
  private var hasFinished = false

  private let executor = QueueExecutor(label: "messages")
  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  /// Opens the journal beside what else the node keeps; where that cannot be, messages are of this run only.
  init(
    state: NodeState, lane: any ApplicationLane, settings: MessageSettings,
    retention: HistoryRetention, lines: [LineName: LineMessageDays], aloud: AloudDesk, log: Logger
  ) throws(JournalError) {
    self.aloud = aloud
    self.state = state
    self.lane = lane
    self.log = log
    let opened = try JournalFile.open(
      in: state.problem == nil ? state.directory : nil, log)
    (journal, problem) = (opened.journal, opened.problem)
    var (settings, retention) = (settings, retention)
    if problem != nil {
      settings.keepBytes = min(settings.keepBytes, Self.memoryBytes)
      retention.bytes = min(retention.bytes, Self.memoryBytes)
    }
    sweep = HistorySweep(journal, retention, log)
    let now = MessageTime.now()
    desk = try MessageDesk(
      identity: state, journal: journal, settings: settings, instance: state.instance,
      lineName: { (try? LineName($0))?.folded }, now: now)
    // Numbers of the lane are below 2⁶²; no other run has these.
    laneSequence = (state.instance & (1 << 32 - 1)) << 30
    for (line, setting) in lines {
      try journal.keep(.named(line.folded), days: setting.days)
    }
    lastNumber = (try? journal.messages(.last))?.last?.number ?? 0
  }

  /// Takes the channel, and follows the membership.
  ///
  /// - Parameter changed: called when something changed that people see; must not block.
  func start(
    _ news: AsyncStream<MembershipEvent>, blocked: Set<NodeID>,
    changed: @escaping @Sendable () -> Void
  ) {
    changes.tell = changed
    desk.block(blocked)
    lane.open(.text) { [weak self] message in await self?.take(message) }
    lane.open(.files) { [weak self] message in await self?.take(message) }
    Task { [weak self] in
      for await event in news { await self?.note(event) }
    }
    sweep.run()
    forgetPassed(upTo: lastNumber)
  }

  /// What is to outlive this run is kept; ends the waiting of all who wait.
  func finish() {
    hasFinished = true
    alarm.cancel()
    desk.finish(now: .now())
    wakeWaiters()
  }

  // MARK: What happens

  /// Takes what membership tells.
  private func note(_ event: MembershipEvent) {
    switch event {
    case .admitted(let node, let name, _):
      names[node] = name
      desk.join(node, now: .now())
    case .departed(let node, _, _): desk.leave(node, now: .now())
    default: return
    }
    settle()
  }

  private func take(_ message: LaneMessage) {
    if message.key.channel == .files {
      desk.takeFile(message.octets, from: message.key.sender, now: .now())
    } else {
      desk.take(message.octets, from: message.key.sender, now: .now())
    }
    settle()
  }

  /// This node is in other groups.
  func groupsChanged() {
    desk.groupsChanged()
    groupNews.isDue = true
    settle()
  }

  /// The user keeps these out, and trusts one no more.
  func block(_ blocked: Set<NodeID>, forgetting node: NodeID?) {
    desk.block(blocked)
    if let node { desk.forget(node) }
    settle()
  }

  /// Takes who is on which line, whenever that changes.
  func follow(_ companies: AsyncStream<LinesCompany>) {
    Task { [weak self] in
      for await company in companies { await self?.take(company) }
    }
  }

  /// Takes who is on which line now.
  func take(_ company: LinesCompany) {
    let lines = company.lines.map { line in
      LinePeople(
        tag: line.privateID.map { .hidden($0.octets) } ?? .named(line.name.folded),
        name: line.name.text, members: line.members, roster: line.roster, removed: line.removed)
    }
    desk.follow(lines, told: company.told, now: .now())
    settle()
  }

  /// Tells now, and again after each change, who shares which group with this node.
  func tellGroups(_ told: @escaping @Sendable ([String: Set<NodeID>]) async -> Void) {
    groupNews.told = told
    settle()
  }

  /// Carries out what the desk decided meanwhile.
  private func settle() {
    groupNews.tell(desk, of: state)
    for event in desk.takeEvents() { tell(event) }
    for node in desk.takeWoken() { begin(Pump(node: node, channel: .text)) }
    for node in desk.takeWokenFiles() { begin(Pump(node: node, channel: .files)) }
    schedule()
  }

  private func begin(_ pump: Pump) {
    guard pumping.insert(pump).inserted else { return }
    Task { await run(pump) }
  }

  private func run(_ pump: Pump) async {
    while let octets = next(pump) {
      laneSequence += 1
      // What cannot be sent is tried again by the desk.
      guard
        (try? await lane.send(octets, on: pump.channel, to: pump.node, sequence: laneSequence))
          != nil
      else { break }
    }
    pumping.remove(pump)
    settle()
  }

  private func next(_ pump: Pump) -> [UInt8]? {
    pump.channel == .files
      ? desk.nextFile(for: pump.node) : desk.next(for: pump.node, now: .now())
  }

  private func schedule() {
    alarm.set(
      toNanoseconds: desk.nextDeadlineNanoseconds, nowNanoseconds: EventLoop.nowNanoseconds()
    ) { [weak self] in await self?.tick() }
  }

  private func tick() {
    alarm.rang()
    desk.tick(now: .now())
    settle()
  }

  private func tell(_ event: MessageEvent) {
    switch event {
    case .message(let message):
      lastNumber = (try? journal.messages(.last))?.last?.number ?? lastNumber
      diskProblem = nil
      if message.key.sender != state.id {
        log.event(.messageReceived, "message", ["from": "\(name(of: message.key.sender))"])
      }
      sweep.note(message)
      wakeWaiters()
    case .changed: break
    case .text(let text, let sender, let isAloud, let age):
      aloud.take(text, by: sender, named: name(of: sender), isAsked: isAloud, ageSeconds: age)
    case .receipt: letPass()
    case .expired(_, let nodes):
      log.event(
        .messageExpired, "a message was not fetched in time and is no longer kept",
        ["for": "\(nodes.map(name).joined(separator: ", "))"])
    case .refused(let node, let fault):
      let isNew = told.tells(fault, nowNanoseconds: EventLoop.nowNanoseconds())
      log.event(
        .messageRefused, at: isNew ? .warning : .debug, "refused \(fault.words)",
        ["peer": "\(name(of: node))"])
    case .refusedBy(let node, let fault, _):
      log.event(
        .messageRefused, at: .debug, "a member refused \(fault.words)",
        ["peer": "\(name(of: node))"])
    case .trouble(let error):
      if diskProblem == nil { log.event(.messagesNotKept, "\(error)") }
      diskProblem = error.description
    }
    changed()
  }

  private func wakeWaiters() {
    for waiter in waiters { waiter.resume() }
    waiters = []
  }

  /// What lines do not keep goes soon after it was read and delivered.
  private func letPass() {
    let last = lastNumber
    guard sweep.plan(upTo: last) else { return }
    Task { [weak self] in
      try? await Task.sleep(for: .seconds(Self.passingSeconds))
      await self?.forgetPassed(upTo: last)
    }
  }

  private func forgetPassed(upTo number: Int64) {
    if sweep.removePassed(upTo: number) { changed() }
  }

  // MARK: What people ask for

  /// Sends a text.
  func say(
    _ text: String, isAloud: Bool = false, to conversation: Conversation
  ) throws(SayError) -> MessageStatus {
    let message = try desk.say(text, isAloud: isAloud, to: conversation, now: .now())
    settle()
    return status(HistoryEntry(number: lastNumber, message: message, isRead: true))
  }

  /// Sends a voice message.
  func send(_ clip: Clip, to conversation: Conversation) throws(SayError) -> MessageStatus {
    let message = try desk.send(
      try SealedAudio(clip.file), milliseconds: clip.milliseconds, peaks: clip.peaks,
      to: conversation, now: .now())
    settle()
    return status(HistoryEntry(number: lastNumber, message: message, isRead: true))
  }

  /// Says something else in an own message.
  func edit(_ number: Int64, to text: String) throws -> MessageStatus {
    let message = try entry(number).message
    guard message.key.sender == state.id else { throw SayError.notText }
    try desk.edit(message.key.sequence, to: text, now: .now())
    settle()
    return status(try entry(number))
  }

  /// Says something of a message by a sign; nil: takes it back.
  func react(to number: Int64, _ sign: String?) throws -> MessageStatus {
    try desk.react(to: try entry(number).message.key, sign, now: .now())
    settle()
    return status(try entry(number))
  }

  private func entry(_ number: Int64) throws(JournalError) -> HistoryEntry {
    guard let entry = try found(number) else {
      throw JournalError("there is no message \(number); see comlink messages")
    }
    return entry
  }

  private func found(_ number: Int64) throws(JournalError) -> HistoryEntry? {
    var query = HistoryQuery()
    let place = min(max(0, number), .max - 1)
    (query.after, query.before) = (place - 1, place + 1)
    return try journal.messages(query).first
  }

  /// The file of a voice message; nil: there is none, or it is no longer here, or damaged.
  func voice(of number: Int64) throws(JournalError) -> [UInt8]? {
    guard case .voice(let clip) = try found(number)?.message.content else { return nil }
    return try journal.audio(of: clip)
  }

  /// The file of a voice message, Ogg Opus.
  ///
  /// - Parameter marksRead: whether it, and what its sender wrote before, counts as read.
  func audio(of number: Int64, marksRead: Bool) throws(JournalError) -> [UInt8] {
    let entry = try entry(number)
    guard case .voice(let clip) = entry.message.content else {
      throw JournalError("message \(number) is a text; see comlink voice-message list")
    }
    guard let file = try journal.audio(of: clip) else {
      throw JournalError("the audio of message \(number) is no longer here; ask for it again")
    }
    if marksRead { markRead([entry]) }
    return file
  }

  /// Messages of the history.
  ///
  /// - Parameter waitSeconds: where there is none, one is waited for so long.
  func messages(
    _ query: HistoryQuery, waitSeconds: Double, marksRead: Bool
  ) async throws(JournalError) -> [MessageStatus] {
    let end = ContinuousClock.now + .seconds(waitSeconds)
    var entries = try journal.messages(query)
    while entries.isEmpty, ContinuousClock.now < end, !Task.isCancelled, !hasFinished {
      await wait(until: end)
      entries = try journal.messages(query)
    }
    if marksRead { markRead(entries) }
    return entries.map(status)
  }

  /// The number of the newest message, 0 before the first.
  var newest: Int64 { lastNumber }

  /// Voice messages between two numbers, the oldest first.
  func voiceMessages(
    after low: Int64, before high: Int64
  ) throws(JournalError) -> [HistoryEntry] {
    var query = HistoryQuery()
    (query.after, query.before, query.isVoice) = (low, high, true)
    query.limit = Int(clamping: high - low)
    return try journal.messages(query)
  }

  /// Voice messages that nobody listened to for a transcript, the oldest first.
  func unheard() throws(JournalError) -> [HistoryEntry] { try journal.messages(.unheard) }

  /// Keeps what is said in a voice message; empty: nothing.
  func keep(transcript: String, of number: Int64) throws(JournalError) {
    try journal.keep(transcript: transcript, of: number)
    if !transcript.isEmpty { changed() }
  }

  /// Waits for any message, or that long.
  func waitForMessage(seconds: Double) async {
    guard seconds > 0 else { return }
    await wait(until: ContinuousClock.now + .seconds(seconds))
  }

  /// Waits for any message, or that long.
  private func wait(until end: ContinuousClock.Instant) async {
    let alarm = Task {
      try? await Task.sleep(until: end, clock: .continuous)
      wakeWaiters()
    }
    await withCheckedContinuation { waiters.append($0) }
    alarm.cancel()
  }

  private func markRead(_ entries: [HistoryEntry]) {
    let others = entries.filter { !$0.isRead }.map(\.message.key)
    for (sender, keys) in Dictionary(grouping: others, by: \.sender) {
      if let last = keys.map(\.sequence).max() { desk.markRead(sender, upTo: last) }
    }
    settle()
    guard !others.isEmpty else { return }
    letPass()
    changed()
  }

  /// Forgets messages, of a conversation or all.
  ///
  /// - Returns: how many.
  func clear(_ conversation: Conversation?) throws(JournalError) -> Int {
    let count = try journal.clear(conversation)
    changed()
    return count
  }

  /// Keeps messages of a line so many days once they are read; 0: until they are delivered, too; nil: as all others.
  func keep(_ line: LineTag, days: Int?) throws(JournalError) {
    try journal.keep(line, days: days)
    sweep.run(isDue: true)
    letPass()
  }

  /// How many days messages of a line are kept; nil: as all others.
  func days(of line: LineTag) -> Int? { journal.days(of: line) }

  /// Forgets one message; what is under way to others stays under way.
  func remove(_ number: Int64) throws(JournalError) {
    try journal.remove(number)
    changed()
  }

  /// The node's groups, the lines that it is on, and the nodes that it can write to, by name.
  var conversations: [RestConversation] {
    let summaries = (try? journal.summaries()) ?? [:]
    func listed(
      _ id: String, _ name: String, _ kind: RestConversation.Kind, _ conversation: Conversation
    ) -> RestConversation {
      var one = RestConversation(id: id, name: name, kind: kind)
      if let summary = summaries[conversation] {
        (one.last, one.unread) = (summary.last, summary.unread)
      }
      return one
    }
    var groups: [RestConversation] = state.groups.map { group in
      listed("group:\(group.name)", group.name, .group, .group(GroupTag(of: group)))
    }
    groups.sort { $0.name < $1.name }
    var members: [RestConversation] = desk.knownNodes.filter { $0 != state.id }.map { node in
      listed(node.text, name(of: node), .member, .member(node))
    }
    members.sort { ($0.name, $0.id) < ($1.name, $1.id) }
    var lines = desk.joinedLines.map { line in
      let name = desk.name(of: line) ?? ""
      return listed("line:\(name)", name, .line, .line(line))
    }
    lines.sort { $0.name < $1.name }
    return groups + lines + members
  }

  /// The conversation of a line of that name.
  func line(named name: String) throws(SayError) -> Conversation { try desk.line(named: name) }

  /// The conversation of a group of that name; nil: the node's only one.
  func group(named name: String?) throws(SayError) -> Conversation {
    let groups = state.groups
    guard let group = name == nil ? groups.first : groups.first(where: { $0.name == name }) else {
      throw .noGroup
    }
    guard name != nil || groups.count == 1 else {
      throw .whichGroup(groups.map { "group:\($0.name)" }.sorted())
    }
    return .group(GroupTag(of: group))
  }

  // MARK: What people see

  private func changed() {
    changes.count += 1
    changes.tell()
  }

  /// The part of a status.
  var status: MessagesStatus {
    var status = MessagesStatus()
    status.unread = (try? journal.unreadCount()) ?? 0
    status.last = lastNumber
    status.revision = changes.count
    status.waiting = desk.waitingCount
    status.keptBytes = desk.keptBytes
    let counters = desk.counters
    status.received = counters.taken
    for (fault, count) in counters.faults { status.refused[fault.rawValue] = count }
    status.problem = diskProblem ?? problem
    return status
  }
}
