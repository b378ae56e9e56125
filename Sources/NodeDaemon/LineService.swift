internal import Cryptography
internal import EventLoop
internal import Intercom
internal import Lines
internal import Logging
internal import Mesh
internal import StatusSchema

/// A node's lines and keys among the others: carries out what ``LineDesk`` decides.
///
/// The user, devices, members' messages and time come in; the media path gets the routing, members get their letters
/// over the application lane, and whoever keeps or shows something is told of changes. On Swift's ordinary pool.
actor LineService {
  private let node: Intercom
  private let log: Logger
  private var desk: LineDesk
  private var lane: (any ApplicationLane)?
  /// Told of each change that is shown.
  private var changed: @Sendable () -> Void = {}
  private var names: [NodeID: String] = [:]
  /// The next message's number, of no other message of this node.
  private var sequence: UInt64
  private var applied: LineRouting?
  private var isApplying = false
  private var shownRevision: UInt64 = 0
  private var alarm = Alarm()
  /// When the log last told of a member whose messages are refused.
  private var refusals = TellingInterval<NodeID>(seconds: 60)
  /// What is to be kept, after each change; the latest only.
  nonisolated let settings: AsyncStream<LineSettings>
  private let keep: AsyncStream<LineSettings>.Continuation
  private nonisolated let members: AsyncStream<MembershipEvent>.Continuation
  private let memberEvents: AsyncStream<MembershipEvent>

  /// - Parameters:
  ///   - instance: the number of this start.
  ///   - settings: of the former run, and of the configuration file.
  init(
    node: Intercom, instance: UInt64, settings: LineSettings, isTalking: Bool, log: Logger
  ) {
    (self.node, self.log) = (node, log)
    desk = LineDesk(instance: instance, settings: settings, isTalking: isTalking)
    // Below 2 to the 62: 38 bits of the start, 24 of the message.
    sequence = (instance & 0x3F_FFFF_FFFF) << 24
    (self.settings, keep) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    (memberEvents, members) = AsyncStream.makeStream()
  }

  /// Begins, before there are members.
  func start() async {
    Task { [weak self, memberEvents] in
      for await event in memberEvents { await self?.take(event) }
    }
    await settle()
  }

  /// Members are told, and heard, from now on.
  func attach(_ lane: any ApplicationLane) async {
    self.lane = lane
    lane.open(.lines) { [weak self] message in await self?.take(message) }
    await settle()
  }

  /// Who is told of changes.
  func tell(_ changed: @escaping @Sendable () -> Void) { self.changed = changed }

  /// A member comes or goes.
  ///
  /// Any thread; does not wait.
  nonisolated func note(_ event: MembershipEvent) { members.yield(event) }

  private func take(_ event: MembershipEvent) async {
    switch event {
    case .admitted(let member, let name, _):
      names[member] = name
      desk.admit(member)
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
      try desk.take(message.octets, of: sender)
    } catch {
      if refusals.tells(sender, nowNanoseconds: EventLoop.nowNanoseconds()) {
        log.event(
          .linesRefused, "what a member says of its lines is refused: \(error.words)",
          ["id": "\(sender.text)", "name": "\(names[sender] ?? "")"])
      }
    }
    await settle()
  }

  /// Does what the user or a device asks for; throws why it cannot be.
  func change(
    _ body: @Sendable (inout LineDesk, _ nowNanoseconds: Int64) throws(LineError) -> Void
  ) async throws(LineError) {
    let before = desk.settings
    try body(&desk, EventLoop.nowNanoseconds())
    if desk.settings != before { keep.yield(desk.settings) }
    await settle()
  }

  /// Lets all that follows happen.
  private func settle() async {
    if desk.revision != shownRevision {
      shownRevision = desk.revision
      changed()
    }
    sendLetters()
    schedule()
    // One at a time, so that the media path has the newest at last.
    guard !isApplying else { return }
    isApplying = true
    while applied != desk.routing {
      let routing = desk.routing
      applied = routing
      await node.follow(routing, isTalkLatched: desk.isTalkLatched)
    }
    isApplying = false
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

  /// Lines and keys for those who look.
  var statuses: (lines: [LineStatus], keys: [KeyStatus]) {
    get async {
      let called = await node.calledNames()
      func name(_ member: NodeID) -> String {
        called[member] ?? names[member] ?? String(member.text.prefix(8))
      }
      return (
        desk.lines.map { LineStatus($0, naming: name) },
        desk.keys.map { KeyStatus($0, naming: name) }
      )
    }
  }
}

extension LineStatus {
  fileprivate init(_ line: LineView, naming name: (NodeID) -> String) {
    self.init(name: line.name.text)
    (isJoined, isListening, isTalking) = (line.isJoined, line.isListening, line.isTalking)
    isSetListening = line.isSetListening
    levelDecibels = line.levelDecibels
    members = line.members.map(name)
    talkers = line.talkers.map(name)
  }
}

extension KeyStatus {
  fileprivate init(_ view: KeyView, naming name: (NodeID) -> String) {
    self.init(
      name: view.key.name.text, lines: view.key.lines.map(\.text),
      activation: view.key.activation.rawValue, latchMilliseconds: view.key.latchMilliseconds)
    interlock = view.key.interlock
    (isSet, isHeld, isLatched) = (view.isSet, view.isHeld, view.isLatched)
    tally =
      switch (view.isTalking, view.isListening) {
      case (false, false): .off
      case (false, true): .listen
      case (true, false): .talk
      case (true, true): .talkListen
      }
    talkers = view.talkers.map(name)
    isPresent = !talkers.isEmpty
  }
}
