internal import Assistant
internal import Chat
internal import EventLoop
internal import Glibc
internal import Logging
internal import Remote
internal import Synchronization

/// Who answers; a test has its own.
protocol LanguageModel: Sendable {
  /// Asks; who stops reading wants no more of the answer.
  func ask(_ query: ChatQuery) -> AsyncStream<ChatClient.Event>
  /// Ends all that is under way.
  func stop() async
}

extension ChatClient: LanguageModel {}

/// One call with the assistant: carries out what ``AssistantCall`` decides.
///
/// On Swift's ordinary pool; disks, tools and the model are waited for beside it.
actor CallRun {
  /// What a call needs of its node.
  struct Surroundings: Sendable {
    let model: any LanguageModel
    let tools: AssistantTools
    let store: SessionStore
    let log: Logger
    /// Told of each change that people see.
    let changed: @Sendable () -> Void
    /// Told once all is over, also what is made of it afterwards.
    let over: @Sendable (_ session: String) -> Void
  }

  /// Who calls.
  struct Caller: Sendable {
    /// Whose consent holds, ``Consent/caller``.
    let key: String
    /// For the log.
    let name: String
    let rights: PageRights
    /// Whether what is said is kept.
    let keeps: Bool
    /// The guest whose microphone and ear it has; nil: the station's.
    var guest: Int?
    /// The line that hears the answers; nil: none.
    var line: String?
  }

  /// The longest that the end of a session waits for a title.
  private static let digestSeconds = 30

  nonisolated let session: AssistantSession
  nonisolated let caller: Caller
  /// By the station's microphone and ear, not a guest's, and not typed.
  nonisolated var isAtStation: Bool { voice != nil && caller.guest == nil }
  /// By microphone and ear, and not typed.
  nonisolated var isSpoken: Bool { voice != nil }
  private let hasEnded = Atomic(false)
  /// Nothing more is said in it; its title may be under way.
  nonisolated var isOver: Bool { hasEnded.load(ordering: .relaxed) }
  private let surroundings: Surroundings
  private var call: AssistantCall
  private var asking: Task<Void, Never>?
  private var using: Task<Void, Never>?
  private var alarm = Alarm()
  private var turns: [SessionTurn] = []
  /// What is made of the session at its end.
  private var digesting: Task<SessionDigest?, Never>?
  private var isForgotten = false
  private var waiters: [CheckedContinuation<String?, Never>] = []
  private let writes: AsyncStream<SessionTurn>.Continuation
  private let writer: Task<Void, Never>
  /// The sound of the call, and what is to be done there in order; nil: people type.
  private let voice: (any CallVoice)?
  private let voiceActions: AsyncStream<AssistantCall.Action>.Continuation
  private let voicing: Task<Void, Never>
  /// What went wrong last, in words.
  private(set) var problem: String?

  /// A call that begins.
  init(
    _ session: AssistantSession, _ caller: Caller, _ settings: CallSettings,
    voice: (any CallVoice)? = nil, _ surroundings: Surroundings
  ) {
    (self.session, self.caller, self.surroundings) = (session, caller, surroundings)
    var settings = settings
    settings.tools = surroundings.tools.offers(to: caller.rights)
    call = AssistantCall(settings, nowNanoseconds: EventLoop.nowNanoseconds())
    let (stream, writes) = AsyncStream.makeStream(of: SessionTurn.self)
    self.writes = writes
    self.voice = voice
    let (actions, voiceActions) = AsyncStream.makeStream(of: AssistantCall.Action.self)
    self.voiceActions = voiceActions
    voicing = Task {
      for await action in actions { await voice?.carryOut(action) }
      await voice?.end()
    }
    let (store, keeps) = (surroundings.store, caller.keeps)
    writer = Task {
      for await turn in stream where keeps { await store.add(turn, to: session) }
    }
  }

  /// What the call does.
  var state: AssistantCall.State { call.state }

  /// Sees to it that all that it needs is there.
  func begin() async {
    guard let voice else { return take(.ready) }
    await voice.begin { [weak self] news in await self?.take(news) }
  }

  /// Says something, and waits for the whole answer.
  ///
  /// - Returns: the two turns.
  func turn(_ text: String) async throws(AssistantProblem) -> [SessionTurn] {
    wake(with: "somebody said something else before the answer was there")
    let before = turns.count
    guard call.ask(text, nowNanoseconds: EventLoop.nowNanoseconds()) else { throw .over }
    settle()
    let problem = await withCheckedContinuation { waiters.append($0) }
    if let problem { throw .failed(problem) }
    return Array(turns.dropFirst(before).suffix(2))
  }

  /// Makes no title of it, for which the model would be shown once more what was said.
  func forget() {
    isForgotten = true
    digesting?.cancel()
  }

  /// Ends it.
  func hangUp() {
    call.hangUp(nowNanoseconds: EventLoop.nowNanoseconds())
    settle()
  }

  // MARK: What happens

  private func take(_ event: ChatClient.Event, of query: Int) {
    let now = EventLoop.nowNanoseconds()
    switch event {
    case .piece(let piece): call.take(piece, of: query, nowNanoseconds: now)
    case .fault(let fault): call.fail(fault, of: query, nowNanoseconds: now)
    }
    settle()
  }

  private func take(_ news: CallVoiceNews) {
    let now = EventLoop.nowNanoseconds()
    switch news {
    case .ready: call.connected(nowNanoseconds: now)
    case .gone: call.hangUp(nowNanoseconds: now)
    case .failed(let words): call.failed(words, nowNanoseconds: now)
    case .voice(let isVoice, let ago): call.hear(voice: isVoice, nowNanoseconds: now - ago)
    case .heard(let number, let text): call.heard(text, of: number, nowNanoseconds: now)
    case .notHeard(let number, let words): call.notHeard(words, of: number, nowNanoseconds: now)
    case .spoke(let number): call.spoke(number, nowNanoseconds: now)
    case .notSpoken(let number, let words):
      call.notSpoken(number, words, nowNanoseconds: now)
    }
    settle()
  }

  private func used(_ results: [ToolResult], of query: Int) {
    call.used(results, of: query, nowNanoseconds: EventLoop.nowNanoseconds())
    settle()
  }

  private func tick() {
    alarm.rang()
    call.tick(nowNanoseconds: EventLoop.nowNanoseconds())
    settle()
  }

  // MARK: What follows

  private func settle() {
    while true {
      let actions = call.takeActions()
      guard !actions.isEmpty else { break }
      for action in actions { carryOut(action) }
    }
    alarm.set(
      toNanoseconds: call.deadlineNanoseconds, nowNanoseconds: EventLoop.nowNanoseconds()
    ) { [weak self] in await self?.tick() }
    surroundings.changed()
  }

  private func carryOut(_ action: AssistantCall.Action) {
    if voice != nil { voiceActions.yield(action) }
    switch action {
    case .query(let number, let query): ask(query, number)
    case .dropQuery:
      asking?.cancel()
      using?.cancel()
    case .use(let query, let calls): use(calls, query)
    // Where nobody hears it, it is read as soon as it is there.
    case .speak(let sentence, _) where voice == nil:
      call.spoke(sentence, nowNanoseconds: EventLoop.nowNanoseconds())
    case .speak, .silence, .listen, .recognise, .forget: break
    case .say(let speaker, let text, let isInterrupted): note(speaker, text, isInterrupted)
    case .trouble(let words):
      problem = words
      surroundings.log.event(.assistantFailed, "\(words)", ["session": "\(session.id)"])
      wake(with: words)
    case .end(let end): finish(end)
    }
  }

  private func ask(_ query: ChatQuery, _ number: Int) {
    asking?.cancel()
    let model = surroundings.model
    asking = Task { [weak self] in
      for await event in model.ask(query) { await self?.take(event, of: number) }
    }
  }

  private func use(_ calls: [ToolCall], _ query: Int) {
    let (tools, caller) = (surroundings.tools, caller)
    using = Task { [weak self] in
      var results: [ToolResult] = []
      for call in calls where !Task.isCancelled {
        results.append(await tools.use(call, with: caller.rights, caller: caller.name))
      }
      await self?.used(results, of: query)
    }
  }

  private func note(_ speaker: SessionTurn.Speaker, _ text: String, _ isInterrupted: Bool) {
    let turn = SessionTurn(
      speaker, text, unixMilliseconds: Self.unixMilliseconds(), isInterrupted: isInterrupted)
    turns.append(turn)
    writes.yield(turn)
    guard speaker == .assistant else { return }
    problem = nil
    wake(with: nil)
  }

  private func wake(with problem: String?) {
    for waiter in waiters { waiter.resume(returning: problem) }
    waiters = []
  }

  private func finish(_ end: CallEnd) {
    hasEnded.store(true, ordering: .relaxed)
    asking?.cancel()
    using?.cancel()
    writes.finish()
    voiceActions.finish()
    if case .failed(let words) = end { problem = words }
    surroundings.log.event(
      .assistantEnded, "a call with the assistant ended",
      ["session": "\(session.id)", "reason": "\(end.words)", "turns": "\(turns.count)"])
    wake(with: "the call ended: \(end.words)")
    Task { await complete() }
  }

  /// Makes title and summary of what is kept.
  private func complete() async {
    await writer.value
    await voicing.value
    if caller.keeps, !isForgotten, var digest = SessionDigest(answer: "", of: turns) {
      var session = session
      session.endedUnixMilliseconds = Self.unixMilliseconds()
      session.digest = digest
      await surroundings.store.keep(session)
      if let made = await self.digest() {
        digest = made
        session.digest = digest
        await surroundings.store.keep(session)
      }
    }
    surroundings.over(session.id)
  }

  /// In the model's words; nil: it has none, or nobody wants it any more.
  private func digest() async -> SessionDigest? {
    guard !isForgotten else { return nil }
    let (model, query, turns) = (surroundings.model, SessionDigest.query(turns), turns)
    let reading = Task { () -> SessionDigest? in
      var answer = ""
      for await event in model.ask(query) {
        switch event {
        case .piece(.text(let text)): answer += text
        case .piece(.end): return SessionDigest(answer: answer, of: turns)
        case .fault: return nil
        }
      }
      return nil
    }
    digesting = reading
    let alarm = Task {
      try? await Task.sleep(for: .seconds(Self.digestSeconds))
      reading.cancel()
    }
    defer { alarm.cancel() }
    return await reading.value
  }

  static func unixMilliseconds() -> Int64 {
    var clock = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &clock)
    return Int64(clock.tv_sec) * 1000 + Int64(clock.tv_nsec) / 1_000_000
  }
}
