internal import Cryptography
internal import EventLoop
internal import Intercom
internal import Lines
internal import Logging
internal import Mesh
internal import Remote
internal import StatusSchema

/// What became of something, for one who follows it: of what it has not taken yet the latest only.
struct Newest<Value: Sendable>: Sendable {
  /// One after the other, as they are told.
  let stream: AsyncStream<Value>
  private let continuation: AsyncStream<Value>.Continuation

  init() { (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

  func tell(_ value: Value) { continuation.yield(value) }
}

/// Who is on the lines that this node is on, and who said so.
struct LinesCompany: Sendable, Equatable {
  var lines: [LineCompany]
  /// Members that said which lines they are on.
  var told: Set<NodeID>
}

/// Who follows a node's lines and keys here, and what the assistant's keys show.
struct LineViewers: Sendable {
  /// Told of each change that is shown.
  var changed: @Sendable () -> Void = {}
  /// Told when a key of the assistant goes down.
  var pressed: @Sendable () -> Void = {}
  var assistant = AssistantTally.off
  private var presses = 0

  /// So often keys of the assistant went down.
  mutating func note(presses: Int) {
    guard presses != self.presses else { return }
    self.presses = presses
    pressed()
  }
}

/// A node's lines and keys among the others: carries out what ``LineDesk`` decides.
///
/// The user, devices, members' messages and time come in; the media path gets the routing, members get their letters
/// over the application lane, and whoever keeps or shows something is told of changes. On Swift's ordinary pool.
actor LineService {
  private let node: Intercom
  private let log: Logger
  private var desk: LineDesk
  /// The last that was said on each line.
  nonisolated let again: LineAgain
  private var lane: (any ApplicationLane)?
  /// The streams of those who are talked to alone.
  private var streams: LineStreams?
  private var viewers = LineViewers()
  private var names: [NodeID: String] = [:]
  /// The next message's number, of no other message of this node.
  private var sequence: UInt64
  private var applied: LineRouting?
  private var isApplying = false
  private var shownRevision: UInt64 = 0
  private var alarm = Alarm()
  /// When the log last told of a member whose messages are refused.
  private var refusals = TellingInterval<NodeID>(seconds: 60)
  /// When it last told of a member that calls.
  private var callsTold = TellingInterval<CallOrigin>(seconds: 5)
  /// What is to be kept, after each change; the latest only.
  nonisolated let settings = Newest<LineSettings>()
  /// Who is on the lines that this node is on, after each change; the latest only.
  nonisolated let companies = Newest<LinesCompany>()
  private var company: (revision: UInt64, told: LinesCompany)?
  private nonisolated let members: AsyncStream<MembershipEvent>.Continuation
  private let memberEvents: AsyncStream<MembershipEvent>

  /// - Parameters:
  ///   - instance: the number of this start.
  ///   - settings: of the former run, and of the configuration file.
  ///   - inputs: the lines that inputs are for, by name; none: all members.
  ///   - portLimit: the most lines with JACK outputs of their own.
  init(
    node: Intercom, instance: UInt64, settings: LineSettings, inputs: [String: [LineName]],
    portLimit: Int, isTalking: Bool, ownNode: NodeID, log: Logger
  ) {
    (self.node, self.log) = (node, log)
    again = LineAgain(node: node)
    desk = LineDesk(instance: instance, settings: settings, isTalking: isTalking)
    desk.portLimit = portLimit
    desk.follow(ownNode: ownNode)
    desk.restoreInputs(inputs)
    // Below 2 to the 62: 38 bits of the start, 24 of the message.
    sequence = (instance & 0x3F_FFFF_FFFF) << 24
    (memberEvents, members) = AsyncStream.makeStream()
  }

  /// Begins, before there are members.
  func start() async {
    Task { [weak self, memberEvents] in
      for await event in memberEvents { await self?.take(event) }
    }
    await again.start()
    await settle()
  }

  /// Members are told, and heard, from now on.
  func attach(_ membership: Membership) async {
    let lane = membership.lane
    (self.lane, streams) = (lane, LineStreams(membership, log: log))
    lane.open(.lines) { [weak self] message in await self?.take(message) }
    await settle()
  }

  /// These share groups' secrets with this node.
  func follow(groups: [String: Set<NodeID>]) async {
    var labels: [GroupLabel: Set<NodeID>] = [:]
    for (name, nodes) in groups {
      if let label = try? GroupLabel(name) { labels[label] = nodes }
    }
    desk.follow(groups: labels)
    await settle()
  }

  /// Takes what members are called now, so that whom a user names is found.
  func followNames() async {
    let called = await node.calledNames()
    desk.follow(called: names.merging(called) { _, called in called })
  }

  /// Who is told of changes.
  func tell(_ changed: @escaping @Sendable () -> Void) { viewers.changed = changed }

  /// A member comes or goes.
  ///
  /// Any thread; does not wait.
  nonisolated func note(_ event: MembershipEvent) { members.yield(event) }

  private func take(_ event: MembershipEvent) async {
    switch event {
    case .admitted(let member, let name, _):
      names[member] = name
      desk.admit(member)
      await followNames()
    case .departed(let member, _, _):
      names[member] = nil
      desk.depart(member)
    default: return
    }
    await settle()
  }

  private func take(_ message: LaneMessage) async {
    let sender = message.key.sender
    do throws(LineViolation) {
      try desk.take(
        message.octets, of: sender, nowNanoseconds: EventLoop.nowNanoseconds())
    } catch {
      if refusals.tells(sender, nowNanoseconds: EventLoop.nowNanoseconds()) {
        log.event(
          .linesRefused, "what a member says of its lines is refused: \(error.words)",
          [
            "id": "\(sender.text)", "name": "\(names[sender] ?? "")",
            "refused": "\(desk.violations.values.reduce(0, +))",
          ])
      }
    }
    await settle()
  }

  /// Does what the user or a device asks for; throws why it cannot be.
  @discardableResult
  func change<Result: Sendable>(
    _ body: @Sendable (inout LineDesk, _ nowNanoseconds: Int64) throws(LineError) -> Result
  ) async throws(LineError) -> Result {
    let before = desk.settings
    let result = try body(&desk, EventLoop.nowNanoseconds())
    if desk.settings != before { self.settings.tell(desk.settings) }
    await settle()
    return result
  }

  /// A guest of this node talks there from now on; nil: it is none any more.
  func setGuest(_ number: Int, talking talk: GuestTalk?) async {
    desk.setGuest(number, talking: talk)
    await settle()
  }

  /// Who is told of presses of the assistant's key.
  func tellAssistant(_ pressed: @escaping @Sendable () -> Void) { viewers.pressed = pressed }

  /// The assistant's keys show that from now on.
  func show(_ assistant: AssistantTally) {
    guard viewers.assistant != assistant else { return }
    viewers.assistant = assistant
    viewers.changed()
  }

  /// Lets all that follows happen.
  private func settle() async {
    if desk.revision != shownRevision {
      shownRevision = desk.revision
      viewers.changed()
    }
    tellCalls()
    viewers.note(presses: desk.assistantPresses)
    sendLetters()
    schedule()
    streams?.follow(desk.audiences, talking: desk.routing.audiences)
    followCompany()
    // One at a time, so that the media path has the newest at last.
    guard !isApplying else { return }
    isApplying = true
    while applied != desk.routing {
      let routing = desk.routing
      applied = routing
      await again.follow(desk.places)
      await node.follow(routing, isTalkLatched: desk.isTalkLatched)
    }
    isApplying = false
  }

  /// Who is on the lines that this node is on now.
  var currentCompany: LinesCompany {
    LinesCompany(lines: desk.company, told: desk.toldMembers)
  }

  private func followCompany() {
    guard company?.revision != desk.revision else { return }
    let next = currentCompany
    if company?.told != next { companies.tell(next) }
    company = (desk.revision, next)
  }

  private func tellCalls() {
    for call in desk.takeNewCalls()
    where callsTold.tells(call, nowNanoseconds: EventLoop.nowNanoseconds()) {
      var facts: Logger.Metadata = [
        "from": "\(names[call.node] ?? "")", "id": "\(call.node.text)",
      ]
      if let line = call.line { facts["line"] = "\(line)" }
      log.event(.call, "a member calls", facts)
    }
  }

  private func sendLetters() {
    guard let lane else { return }
    for letter in desk.letters(nowNanoseconds: EventLoop.nowNanoseconds()) {
      sequence += 1
      let number = sequence
      Task { [weak self] in
        var isDelivered = true
        do throws(LaneError) {
          try await lane.deliver(letter.octets, on: .lines, to: letter.node, sequence: number)
        } catch {
          isDelivered = false
        }
        await self?.finish(letter, isDelivered: isDelivered)
      }
    }
  }

  private func finish(_ letter: LineOutbox.Letter, isDelivered: Bool) async {
    desk.finish(letter, isDelivered: isDelivered, nowNanoseconds: EventLoop.nowNanoseconds())
    await settle()
  }

  private func schedule() {
    alarm.set(
      toNanoseconds: desk.nextDeadlineNanoseconds, nowNanoseconds: EventLoop.nowNanoseconds()
    ) { [weak self] in await self?.tick() }
  }

  private func tick() async {
    alarm.rang()
    desk.tick(nowNanoseconds: EventLoop.nowNanoseconds())
    await settle()
  }

  /// Operators with their names and rights.
  var operators: [(node: NodeID, name: String, rights: OperatorRights)] {
    get async {
      let called = names.merging(await node.calledNames()) { _, called in called }
      return desk.operators.map { ($0, called[$0] ?? String($0.text.prefix(8)), $1) }
        .sorted { ($0.1, $0.0) < ($1.1, $1.0) }
    }
  }

  /// What a member is called, and what it may set here; nil: nothing.
  func operatorRights(of member: NodeID) -> (name: String, rights: OperatorRights?) {
    (names[member] ?? String(member.text.prefix(8)), desk.operators[member])
  }

  /// An answer for somebody who may not know of this node's private lines.
  func withoutPrivateLines(_ response: ControlResponse) -> ControlResponse {
    let hidden = Set(desk.lines.filter(\.isPrivate).map(\.name.text))
    return switch response {
    case .lines(let lines):
      .lines(lines.filter { !hidden.contains($0.name) && $0.invitedBy == nil })
    case .keys(let keys): .keys(keys.filter { hidden.isDisjoint(with: $0.lines) })
    default: response
    }
  }

  /// Whether a request of somebody who may not know of this node's private lines means one of them, or a key of one.
  func hides(_ request: ControlRequest) async -> Bool {
    let hidden = Set(desk.lines.filter(\.isPrivate).map(\.name.text))
    guard !hidden.isEmpty else { return false }
    let keys = await hiddenKeys
    return switch request {
    case .line(let request): request.line.map(hidden.contains) ?? false
    case .key(.set(let key)): keys.contains(key.name) || !hidden.isDisjoint(with: key.lines)
    // For no lines it is for all that the node is on.
    case .key(.preset(_, let lines)): lines.isEmpty || !hidden.isDisjoint(with: lines)
    case .key(.press(let key, _)), .key(.release(let key, _, _)), .key(.tap(let key)),
      .key(.remove(let key)):
      keys.contains(key)
    default: false
    }
  }

  /// Releases all latches, and says in a sentence what became of the keys; keys of private lines are only counted.
  func releaseLatchesFromAfar() async throws(LineError) -> String {
    let hidden = await hiddenKeys
    let keys = try await change { desk, _ throws(LineError) in desk.releaseLatches() }
    return keys.words(hiding: hidden)
  }

  /// Keys that talk on a private line, or are called like one.
  private var hiddenKeys: Set<String> {
    get async {
      let hidden = Set(desk.lines.filter(\.isPrivate).map(\.name.text))
      let keys = await statuses.keys.filter { !hidden.isDisjoint(with: $0.lines) }
      return hidden.union(keys.map(\.name))
    }
  }

  /// Keys as they are shown, with members by their IDs.
  var keyViews: [KeyView] { desk.keys.map { $0.showing(viewers.assistant) } }

  /// Lines as they are shown, with members by their IDs.
  var views: [LineView] { desk.lines }

  /// A line that this node is on and that everybody may know of; nil: there is none of that name.
  func publicLine(_ name: String) -> LineName? {
    desk.lines.first { $0.name.text == name && $0.isJoined && !$0.isPrivate }?.name
  }

  /// The same, and whether this node talks to some alone now.
  var talk: (lines: [LineView], isAlone: Bool) { (desk.lines, !desk.routing.audiences.isEmpty) }

  /// The ear's settings by name, for those who look.
  var ear: [String: String] { desk.ear.texts }

  /// Lines, keys and calls for those who look.
  var statuses: LineStatuses {
    get async {
      let called = await node.calledNames()
      desk.follow(called: names.merging(called) { _, called in called })
      return LineStatuses(
        desk, viewers.assistant, nowNanoseconds: EventLoop.nowNanoseconds()
      ) { [names] member in
        called[member] ?? names[member] ?? String(member.text.prefix(8))
      }
    }
  }
}
