internal import WebService
internal import Assistant
internal import Chat
internal import Cryptography
internal import Lines
internal import Logging
internal import Messages
internal import Remote
internal import Speech
internal import SpeechLink
internal import StatusSchema

/// The assistant of a node: its calls, who agreed to what, and what is kept of it.
///
/// On Swift's ordinary pool. Nothing of it runs, and no thread is made, until a language model is set.
actor AssistantOffice {
  /// Calls at a time, of which the last is for the node itself; and of one phone or program.
  private static let (mostCalls, mostOfOne) = (4, 2)
  private static let idByteCount = 16

  private let settings: AssistantSettings
  private let services: SpeechSettings
  private let model: (any LanguageModel)?
  /// Why the model cannot be asked; nil: it can.
  private let problem: AssistantProblem?
  /// Where the station's user is heard and speaks; nil: calls are typed.
  private let speech: (door: any EarDoor, services: SpeechServices)?
  /// Hears wake words; nil: nobody wants that.
  private let wake: WakeWatch?
  /// Lets somebody else's assistant have microphone and ear.
  private let satellite: SatelliteService
  private let store: SessionStore
  private let tools: AssistantTools
  private let log: Logger
  private var changed: @Sendable () -> Void = {}
  private var calls: [String: CallRun] = [:]
  /// The newest call but for those of guests' phones, for those who look.
  private var newest: CallRun?
  /// The newest of all.
  private var latest: CallRun?
  private var (called, failed) = (0, 0)
  /// Why the last call by a key or a wake word could not begin, in words.
  private var refusal: String?
  /// Where answers are heard by others.
  private let stage: any LineStage
  /// Where guests are heard and hear.
  private let guests: (any GuestEars)?

  /// - Parameters:
  ///   - services: those that turn speech into text and back.
  ///   - directory: of the node's state; nil: it has none.
  ///   - door: where the station's user is heard and hears.
  ///   - stage: where members hear it.
  ///   - guests: whose phones may call; nil: there are none.
  ///   - model: nil: as the settings have it.
  init(
    _ settings: AssistantSettings, _ services: SpeechSettings, directory: String?,
    door: any EarDoor, stage: any LineStage, guests: (any GuestEars)? = nil,
    model: (any LanguageModel)? = nil, log: Logger
  ) {
    (self.settings, self.services, self.log) = (settings, services, log)
    (self.stage, self.guests) = (stage, guests)
    var problem: AssistantProblem?
    var made = model
    if made == nil, let place = settings.place {
      do throws(SecretLine.Problem) {
        made = ChatClient(
          of: place, model: settings.model,
          key: try SecretLine.read(settings.keyFile, of: .assistantKeyFile))
      } catch {
        problem = .key("\(error)")
        log.event(.assistantFailed, "\(error)")
      }
    }
    (self.model, self.problem) = (made, problem)
    let spoken = made == nil ? nil : SpeechServices(services)
    var watch: WakeWatch?
    if let spoken, let place = services.wake {
      watch = WakeWatch(door, spoken, at: place, words: settings.words, log: log)
    }
    let ear: any EarDoor = watch ?? door
    wake = watch
    satellite = SatelliteService(services, door: ear, log: log)
    speech = spoken.map { (ear, $0) }
    store = SessionStore(directory: directory, days: settings.days, log: log)
    tools = AssistantTools(settings.tools, log: log)
  }

  /// Begins.
  ///
  /// - Parameters:
  ///   - hands: carries out what tools want.
  ///   - name: of the node.
  ///   - changed: called when something changed that people see; must not block.
  func start(
    _ hands: any AssistantTools.Perform, named name: String,
    changed: @escaping @Sendable () -> Void
  ) async {
    tools.attach(hands)
    self.changed = changed
    await store.prune(unixMilliseconds: CallRun.unixMilliseconds())
    await allowWake()
    await wake?.start { [weak self] word in await self?.woken(by: word) }
    await satellite.start(named: name)
  }

  /// Ends all calls.
  func finish() async {
    await satellite.finish()
    await wake?.finish()
    for call in calls.values { await call.hangUp() }
    await model?.stop()
    speech?.services.link.stop()
  }

  // MARK: Calls

  /// Begins a call.
  ///
  /// - Parameters:
  ///   - isSpoken: by the station's microphone, and in its ear; else people type.
  ///   - guest: by the microphone and in the ear of that page of the caller's phone, which is a guest.
  ///   - line: of a spoken call, where answers are heard; empty: in the station's ear alone; nil: as it is set.
  func call(
    _ caller: AssistantCaller, isSpoken: Bool, guest page: String? = nil, on line: String? = nil
  ) async throws(AssistantProblem) -> SessionStatus {
    let model = try ready()
    if isSpoken, speech == nil { throw .mute }
    let guest = try await isSpoken ? guest(page, of: caller) : nil
    let line = isSpoken ? line ?? settings.line : ""
    let key = key(of: caller)
    guard let consent = await store.consent(of: key), consent.destination == destination else {
      throw .notAgreed
    }
    guard hasRoom(for: caller) else { throw .full }
    guard let id = try? AccessToken.make(byteCount: Self.idByteCount) else {
      throw .failed("the system has no random numbers; try again")
    }
    let session = AssistantSession(
      id: id, caller: key, context: .init(rawValue: caller.context) ?? .node,
      startedUnixMilliseconds: CallRun.unixMilliseconds())
    let run = CallRun(
      session,
      CallRun.Caller(
        key: key, name: caller.name ?? "node", rights: caller.rights ?? .admin,
        keeps: consent.keeps && settings.days > 0, guest: guest?.number,
        line: line.isEmpty ? nil : line),
      callSettings(isSpoken: isSpoken), voice: isSpoken ? voice(by: guest?.door, on: line) : nil,
      CallRun.Surroundings(
        model: model, tools: tools, store: store, log: log, changed: changed,
        over: { [weak self] id in Task { await self?.over(id) } }))
    (calls[id], latest) = (run, run)
    if guest == nil { newest = run }
    called += 1
    refusal = nil
    log.event(
      .assistantCall, "a call with the assistant",
      ["session": "\(id)", "caller": "\(caller.name ?? "node")", "keeps": "\(run.caller.keeps)"])
    await run.begin()
    return SessionStatus(session)
  }

  /// Calls that go on; the others have yet to get a title.
  private var live: [CallRun] { calls.values.filter { !$0.isOver } }

  private func hasRoom(for caller: AssistantCaller) -> Bool {
    guard let name = caller.name else { return live.count < Self.mostCalls }
    return live.count < Self.mostCalls - 1
      && live.count(where: { $0.caller.name == name }) < Self.mostOfOne
  }

  /// The phone of a caller at the page; nil: it wants the station's microphone.
  private func guest(
    _ page: String?, of caller: AssistantCaller
  ) async throws(AssistantProblem) -> (number: Int, door: any EarDoor)? {
    guard let page else { return nil }
    let session = caller.name.map { String($0.split(separator: " ").last ?? "") }
    guard let session, let guest = await guests?.ear(of: session, page: page) else {
      throw .noPhone
    }
    return guest
  }

  private func voice(by door: (any EarDoor)?, on line: String) -> StationVoice? {
    speech.map { speech in
      let place =
        line.isEmpty
        ? nil
        : StationVoice.OnLine(
          stage: stage, line: line, name: settings.name, colourRGB: settings.colourRGB)
      return StationVoice(door ?? speech.door, speech.services, on: place)
    }
  }

  /// A key of the assistant went down: a spoken call begins, or the one that goes on ends.
  func pressed() async {
    for call in live where call.isAtStation { return await call.hangUp() }
    await begin("key")
  }

  private func woken(by word: String?) async {
    guard !live.contains(where: \.isAtStation) else { return }
    log.event(.assistantWoken, "a wake word was heard", ["word": "\(word ?? "")"])
    await begin("node")
  }

  /// The microphone goes to the wake word's service only once somebody agreed.
  private func allowWake() async {
    guard let wake else { return }
    let consent = await store.consent(of: key(of: AssistantCaller()))
    await wake.allow(consent?.destination == destination)
  }

  /// Begins a spoken call of nobody who could be told why not.
  private func begin(_ context: String) async {
    var caller = AssistantCaller()
    caller.context = context
    do throws(AssistantProblem) {
      _ = try await self.call(caller, isSpoken: true)
    } catch {
      refusal = "\(error)"
      log.event(.assistantFailed, "\(error)")
      changed()
    }
  }

  /// Says something in a call; nil: in the last that this caller types in, or a new one.
  func turn(
    _ text: String, in session: String?, _ caller: AssistantCaller
  ) async throws(AssistantProblem) -> SessionStatus {
    guard text.contains(where: { !$0.isWhitespace }) else { throw .empty }
    guard let session else {
      let typed = last { !$0.isSpoken && $0.caller.name == caller.name ?? "node" }
      do throws(AssistantProblem) {
        if let typed { return try await turn(text, in: typed, caller) }
      } catch {
        guard case .over = error else { throw error }
      }
      return try await turn(text, in: call(caller, isSpoken: false).id, caller)
    }
    let run = try run(session, caller)
    // Its tools have the rights of who began it: who has fewer says nothing in it. And it knows what was said in it.
    guard run.caller.rights <= caller.rights ?? .admin, mayJoin(run, caller) else { throw .over }
    var status = SessionStatus(run.session)
    status.turns = try await run.turn(text).map { SessionStatus.Turn($0) }
    return status
  }

  /// Ends a call; nil: the newest one of that caller.
  func end(_ session: String?, _ caller: AssistantCaller) async throws(AssistantProblem) {
    let (key, name) = (key(of: caller), caller.name ?? "node")
    let own = session ?? last { $0.caller.key == key && $0.caller.name == name }
    guard let id = own ?? last(where: { $0.caller.key == key }) else { throw .over }
    let run = try run(id, caller)
    // As by the station's key, which whoever may talk presses.
    guard run.isAtStation || mayJoin(run, caller) else { throw .over }
    await run.hangUp()
  }

  /// Whether a call is a caller's own, or the operator asks.
  private func mayJoin(_ run: CallRun, _ caller: AssistantCaller) -> Bool {
    run.caller.name == caller.name ?? "node" || caller.rights ?? .admin >= .operate
  }

  /// The newest call of some.
  private func last(where isOne: (CallRun) -> Bool) -> String? {
    let newest = live.filter(isOne).max {
      $0.session.startedUnixMilliseconds < $1.session.startedUnixMilliseconds
    }
    return newest?.session.id
  }

  private func run(_ id: String, _ caller: AssistantCaller) throws(AssistantProblem) -> CallRun {
    guard let run = calls[id], run.caller.key == key(of: caller) else { throw .over }
    return run
  }

  /// Phones are signed out: what is done for them with their rights ends.
  func signedOut(_ sessions: [String]) async {
    let names = Set(sessions.map { "page \($0)" })
    for call in live where names.contains(call.caller.name) { await call.hangUp() }
  }

  private func over(_ id: String) async {
    guard let run = calls.removeValue(forKey: id) else { return }
    await store.release(id)
    if await run.state == .error { failed += 1 }
    await store.prune(unixMilliseconds: CallRun.unixMilliseconds())
    changed()
  }

  private func ready() throws(AssistantProblem) -> any LanguageModel {
    if let problem { throw problem }
    guard let model else { throw .off }
    return model
  }

  private func callSettings(isSpoken: Bool) -> CallSettings {
    var call = CallSettings(
      prompt: settings.prompt.isEmpty
        ? AssistantWords.prompt(named: settings.name) : settings.prompt)
    call.lengthNanoseconds = Int64(settings.lengthMinutes) * 60_000_000_000
    // Who types takes their time.
    call.silenceNanoseconds =
      isSpoken ? Int64(settings.silenceSeconds) * 1_000_000_000 : call.lengthNanoseconds
    return call
  }

  // MARK: What is agreed and kept

  /// Whether it is for a caller to agree, and to see and delete what is kept: on a shared station everybody has their
  /// own, else it is the operator's.
  private func mayAgree(_ caller: AssistantCaller) -> Bool {
    settings.isShared || caller.rights ?? .admin >= .operate
  }

  private func permit(_ caller: AssistantCaller) throws(AssistantProblem) {
    guard mayAgree(caller) else { throw .forbidden }
  }

  private func key(of caller: AssistantCaller) -> String {
    settings.isShared ? caller.name ?? "node" : ""
  }

  /// What an agreement holds for.
  private var destination: String {
    let services = [services.asr, services.tts, services.wake].compactMap { $0.map { "\($0)" } }
    return ([settings.place?.text ?? ""] + services).joined(separator: " ")
  }

  /// What there is to agree to, and whether somebody has.
  func consent(_ caller: AssistantCaller) async throws(AssistantProblem) -> ConsentStatus {
    _ = try ready()
    let consent = await store.consent(of: key(of: caller))
    let holds = consent?.destination == destination ? consent : nil
    var status = ConsentStatus(
      terms: AssistantWords.terms(settings, services),
      choice: holds.map { $0.keeps ? "keep" : "forget" } ?? "none")
    let words = holds.map { $0.keeps ? "Agreed, kept." : "Agreed, not kept." }
    status.words = words ?? "Nobody agreed yet."
    status.mayAgree = mayAgree(caller)
    status.unixSeconds = holds.map { Double($0.unixMilliseconds) / 1000 }
    return status
  }

  /// Somebody agrees, or no more.
  func agree(
    _ keeps: Bool?, _ caller: AssistantCaller
  ) async throws(AssistantProblem) -> ConsentStatus {
    _ = try ready()
    try permit(caller)
    let key = key(of: caller)
    do {
      if let keeps {
        try await store.keep(
          Consent(
            caller: key, destination: destination, keeps: keeps,
            unixMilliseconds: CallRun.unixMilliseconds()))
        if !keeps { await forget { $0.caller.key == key } }
      } else {
        await forget(andEnds: true) { $0.caller.key == key }
        try await store.withdraw(key)
        // Who called just then did so without.
        await forget(andEnds: true) { $0.caller.key == key }
      }
    } catch {
      throw AssistantProblem(error)
    }
    await allowWake()
    return try await consent(caller)
  }

  /// Keeps nothing more of calls under way, or of those that have yet to get a title.
  private func forget(andEnds: Bool = false, where isOne: (CallRun) -> Bool) async {
    for call in calls.values.filter(isOne) {
      await store.forget(call.session.id)
      await call.forget()
      if andEnds { await call.hangUp() }
    }
  }

  /// The last sessions.
  func sessions(
    _ limit: Int, _ caller: AssistantCaller
  ) async throws(AssistantProblem) -> [SessionStatus] {
    try permit(caller)
    do {
      return try await store.sessions(of: key(of: caller), limit: limit)
        .map { SessionStatus($0) }
    } catch {
      throw AssistantProblem(error)
    }
  }

  /// A session with what was said.
  func session(
    _ id: String, _ caller: AssistantCaller
  ) async throws(AssistantProblem) -> SessionStatus {
    try permit(caller)
    do {
      guard let found = try await store.session(id), found.session.caller == key(of: caller)
      else { throw AssistantProblem.noSession }
      var status = SessionStatus(found.session)
      status.turns = found.turns.map { SessionStatus.Turn($0) }
      return status
    } catch {
      throw AssistantProblem(error)
    }
  }

  /// Deletes a session, or all of that caller's.
  ///
  /// - Returns: how many.
  func delete(
    _ id: String?, _ caller: AssistantCaller
  ) async throws(AssistantProblem) -> Int {
    try permit(caller)
    do {
      let key = key(of: caller)
      await forget { $0.session.id == id ?? $0.session.id && $0.caller.key == key }
      guard let id else { return try await store.deleteAll(of: key) }
      guard let found = try await store.session(id), found.session.caller == key,
        try await store.delete(id)
      else { throw AssistantProblem.noSession }
      return 1
    } catch {
      throw AssistantProblem(error)
    }
  }

  // MARK: What people see

  /// What people are shown: the station's own call, else the newest that is typed.
  private var shown: CallRun? { live.first(where: \.isAtStation) ?? newest }

  /// What the assistant's keys show.
  var tally: AssistantTally {
    get async {
      switch await shown?.state {
      case .connecting, .listening: .listens
      case .thinking, .speaking: .answers
      case .ended, .error, nil: .off
      }
    }
  }

  /// What guests' calls do.
  func fill(_ status: inout Status) async {
    for place in status.guests?.indices ?? 0..<0 {
      guard let number = status.guests?[place].number else { continue }
      status.guests?[place].assistant = await guestCall(of: number)
    }
  }

  /// The call of a guest, by its number; nil: it has none.
  func guestCall(of number: Int) async -> GuestStatus.AssistantCall? {
    guard let call = live.first(where: { $0.caller.guest == number }) else { return nil }
    return GuestStatus.AssistantCall(session: call.session.id, state: await call.state.rawValue)
  }

  /// The part of a status.
  var status: AssistantStatus {
    get async {
      let shown = shown
      let state = await shown?.state.rawValue ?? (model == nil ? "off" : "idle")
      var status = AssistantStatus(state: state, name: settings.name)
      status.colour = settings.colourRGB.map { Configuration.text(ofColour: $0) }
      if let shown, !shown.isOver {
        (status.session, status.line) = (shown.session.id, shown.caller.line)
      }
      (status.calls, status.called, status.failed) = (calls.count, called, failed)
      let last = await latest?.problem
      status.problem = refusal ?? last ?? problem.map { "\($0)" }
      status.keepingProblem = await store.problem
      return status
    }
  }
}

extension AssistantProblem {
  /// What a store or this office threw.
  fileprivate init(_ error: any Error) {
    switch error {
    case let error as AssistantProblem: self = error
    case let error as JournalError: self = .disk(error)
    default: self = .failed("\(error)")
    }
  }
}
