internal import Captions
internal import ControlSocket
internal import EventLoop
internal import Habits
internal import Intercom
internal import JackSession
internal import Journal
internal import Lines
internal import Logging
internal import Mesh
internal import Messages
internal import Panel
internal import Remote
internal import StatusSchema
internal import Store

/// The daemon from its configuration to its end.
struct Daemon {
  let effective: EffectiveConfiguration
  let style: StandardErrorLog.Style
  /// What is logged of each area; changes while the daemon runs.
  let levels = LogLevels()
  /// Tells systemd, if that started us.
  var service: ServiceReport?
  /// Whether it is to be started again after its end.
  var restart = RestartWish(isService: false)

  /// Finds where to listen; a test has its own.
  var resolve: SocketAddress.Resolver = SocketAddress.resolve

  /// Runs until a signal comes, at any time from the start on.
  ///
  /// The control socket comes first, because it tells whether another daemon runs already, and goes last. At the end
  /// the others and JACK are told first; what may take its time happens beside that.
  ///
  /// - Parameter signal: waits for the first of ``TerminationSignals``.
  func run(until signal: @escaping @Sendable () async -> Int32) async throws(DaemonError) {
    let log = logger("comlinkd")
    logStart(log)
    let ending = Task { end(on: await signal(), log) }
    let relay = ControlRelay()
    let server = try controlServer(relay)
    defer { server.stop() }
    guard let listen = try await listenAddress(before: ending) else { return }
    let state = try openState()
    let events = NodeLog()
    let writer = Task { await events.write(to: logger("node"), audio: logger("audio")) }
    let node = try startNode(at: listen, state, events)
    let (states, problems) = (StateWriter(), KeepingProblems(log: logger("state")))
    let page = pageDesk(state)
    let lines = lineService(of: node, state)
    let captions = captionService(of: node, state, lines)
    let keepers = await keepers(of: state, by: states, node, page, lines, problems)
    let name = NodeName(effective.configuration.name)
    let connections = try await connect(
      node, named: name, at: place(of: node, askedFor: listen), state, states, lines, captions,
      problems)
    let hostNames = followHostName(name, node, connections)
    defer { hostNames?.stop() }
    let tests = TestControl(
      node: node, id: state.id, membership: connections.membership, log: logger("node"))
    let recordings = Recordings(
      node: node, nodeName: name, membership: connections.membership, log: logger("record"))
    let office = try openOffice(of: connections, state, node)
    let voices = voiceMessages(of: node, office, connections.membership, lines, state, by: states)
    let guests = guestService(of: node, connections, lines)
    let assistant = assistantOffice(of: node, state, guests)
    let operators = OperatorDesk(lines: lines, instance: state.instance, log: logger("lines"))
    let survey = NodeSurvey(
      node: node, state: state, connections: connections, recordings: recordings, office: office,
      voices: voices, lines: lines, operators: operators, guests: guests,
      midi: MIDIService(node: node, lines: lines), assistant: assistant, captions: captions,
      problems: problems, profile: effective.configuration.profile)
    let model = await model(of: survey, node, lines)
    let captionControl = CaptionControl(service: captions, state: state, writer: states)
    let control = NodeControl(
      node: node, state: state, writer: states, connections: connections, recordings: recordings,
      tests: tests, office: office, voices: voices, lines: LineControl(lines: lines),
      operators: operators, assistant: AssistantControl(office: assistant), restart: restart,
      captions: captionControl, levels: levels, model: model, page: page, source: effective.source)
    await operators.start(connections.membership.lane, control)
    await begin(control, connections, voices, assistant, captions, lines, model)
    let panel = await startPanel(model, server)
    relay.attach(control)
    await page.start(nodeName: name.current, handler: relay, guests: guests, rest: control.rest)
    logReady(log, node)
    await ending.value
    relay.detach()
    model.end()
    await DaemonEnd(
      node: node, connections: connections, keepers: keepers, recordings: recordings,
      office: office, assistant: assistant, captions: captions, panel: panel, page: page
    ).run(log)
    events.finish()
    await writer.value
  }

  private func end(on signal: Int32, _ log: Logger) {
    service?.end()
    log.event(.ending, "ending", ["signal": "\(TerminationSignals.name(of: signal))"])
  }

  /// Lets all that members say to those beside the voice come in.
  private func begin(
    _ control: NodeControl, _ connections: Connections, _ voices: VoiceMessages,
    _ assistant: AssistantOffice, _ captions: CaptionService, _ lines: LineService,
    _ model: NodeModel
  ) async {
    let (membership, office) = (connections.membership, voices.office)
    await assistant.start(control, named: effective.configuration.name) {
      [weak lines, weak assistant] in
      model.touch()
      Task { await lines?.show(await assistant?.tally ?? .off) }
    }
    let departures = control.page.access.departures
    Task { [weak assistant] in
      for await sessions in departures { await assistant?.signedOut(sessions) }
    }
    await lines.tellAssistant { [weak assistant] in Task { await assistant?.pressed() } }
    // Ends with the process: what it has done is kept step by step.
    Task { await voices.mirror?.run(changed: model.touch) }
    // Before messages of lines come in.
    await office.take(await lines.currentCompany)
    await office.aloud.start(changed: model.touch)
    await office.start(
      connections.news, blocked: membership.blockedNodes, changed: model.touch)
    await office.follow(lines.companies.stream)
    await captions.start(membership, changed: model.touch)
    transcribe(office, captions)
    await office.tellGroups { [weak lines, weak captions] groups in
      await lines?.follow(groups: groups)
      await captions?.follow(groups: groups)
    }
  }

  private func guestService(
    of node: Intercom, _ connections: Connections, _ lines: LineService
  ) -> GuestService {
    GuestService(
      node: node, membership: connections.membership, lines: lines, log: logger("page"))
  }

  /// Soon after, what only the start needed is given back: JACK, names and the first look round are over then.
  private func logReady(_ log: Logger, _ node: Intercom) {
    Task { [weak node] in
      try await Task.sleep(for: .seconds(5))
      node?.forgetStart()
    }
    log.event(
      .ready, "ready",
      [
        "listen": "\(node.localAddress)", "control": "\(effective.configuration.controlPath)",
      ])
  }

  private func controlServer(_ relay: ControlRelay) throws(DaemonError) -> ControlServer {
    do throws(RemoteError) {
      return try ControlServer(path: effective.configuration.controlPath, handler: relay)
    } catch {
      throw .control(error)
    }
  }

  /// Goes on with what was set in the former run, and keeps what becomes of it.
  private func keepers(
    of state: NodeState, by writer: StateWriter, _ node: Intercom, _ page: PageDesk,
    _ lines: LineService,
    _ problems: KeepingProblems
  ) async -> Keepers {
    let mixes = Keeper(state.mix, of: .mix, problems: problems) { mix throws(StoreError) in
      try await writer.run { () throws(StoreError) in try state.keep(mix) }
    }
    await node.restore(state.mix)
    await mixes.follow(node.mixChanges) { await node.mix }
    let ports = Keeper(state.ports, of: .ports, problems: problems) { ports throws(StoreError) in
      try await writer.run { () throws(StoreError) in try state.keep(ports) }
    }
    await ports.note(node.portMemories)
    let names = Keeper(state.names, of: .names, problems: problems) { names throws(StoreError) in
      try await writer.run { () throws(StoreError) in try state.keep(names) }
    }
    await names.follow(node.nameChanges) { await node.names }
    let pages = PageKeeper(state.page.sessions, problems: problems) {
      pages throws(StoreError) in
      try await writer.run { () throws(StoreError) in try state.keep(pages) }
    }
    await pages.note(page.access.records)
    let tokens = PageKeeper(state.tokens.holders, of: .tokens, problems: problems) {
      tokens throws(StoreError) in
      try await writer.run { () throws(StoreError) in try state.keep(tokens: tokens) }
    }
    await tokens.note(page.tokens.records)
    let settings = LineKeeper(state.lines.kept, problems: problems) { lines throws(StoreError) in
      try await writer.run { () throws(StoreError) in try state.keep(lines) }
    }
    await settings.note(lines.settings.stream)
    await lines.start()
    return Keepers(
      mixes: mixes, ports: ports, names: names, pages: pages, tokens: tokens, lines: settings)
  }

  private func startNode(
    at listen: SocketAddress, _ state: NodeState, _ events: NodeLog
  ) throws(DaemonError) -> Intercom {
    let settings = effective.configuration
    let node: Intercom
    do throws(IntercomError) {
      var configuration = IntercomConfiguration(settings, listen: listen)
      configuration.portMemory = state.ports
      configuration.nameMemory = state.names
      configuration.inputs = settings.patches.inputs(after: state.mix)
      configuration.buses = settings.patches.buses(after: state.mix)
      node = try Intercom(configuration: configuration) { [service] event in
        events.add(event)
        service?.add(event)
      }
      try node.start()
    } catch {
      throw .node(error)
    }
    service?.watch {
      node.wakeUps
    } isSoundLost: {
      node.isSoundLost
    }
    logger("node").event(.kernel, "\(node.kernelFeatures)")
    NodeLog.write(node.warnings, logger("node"))
    return node
  }

  /// Lines and keys as they were, and as the configuration file has them.
  private func lineService(of node: Intercom, _ state: NodeState) -> LineService {
    LineService(
      node: node, instance: state.instance,
      settings: LineSettings(kept: state.lines.kept).taking(effective.configuration.lines),
      inputs: effective.configuration.patches.inputLines(after: state.mix),
      portLimit: BusSettings.mostBuses - effective.configuration.patches.buses.count,
      isTalking: state.mix.isTalking, ownNode: state.id, log: logger("lines"))
  }

  private func captionService(
    of node: Intercom, _ state: NodeState, _ lines: LineService
  ) -> CaptionService {
    let settings = effective.configuration
    return CaptionService(
      CaptionService.Surroundings(
        own: state.id, instance: state.instance, settings: settings.speech,
        transcripts: settings.transcriptPath.isEmpty ? nil : settings.transcriptPath,
        directory: state.problem == nil ? state.directory : nil,
        isOpen: settings.policy == .open, door: node, lines: lines, log: logger("captions"),
        offersCaptions: settings.offersCaptions,
        signer: CaptionSigner(key: state.publicKey) { octets in
          try? unsafe state.signature(of: octets.span.bytes)
        }),
      refuses: state.captions.kept.refuses, keepDays: state.captions.kept.days)
  }

  private func assistantOffice(
    of node: Intercom, _ state: NodeState, _ guests: GuestService
  ) -> AssistantOffice {
    AssistantOffice(
      effective.configuration.assistant, effective.configuration.speech,
      directory: state.problem == nil ? state.directory : nil, door: node, stage: guests,
      guests: guests, log: logger("assistant"))
  }

  private func model(
    of survey: NodeSurvey, _ node: Intercom, _ lines: LineService
  ) async -> NodeModel {
    let model = NodeModel(NodeModel.Look(survey))
    await survey.midi.start()
    let midi = node.midi
    await lines.tell {
      model.touch()
      midi.touch()
    }
    return model
  }

  /// Lets control connections and other nodes in.
  private func connect(
    _ node: Intercom, named name: NodeName, at listen: SocketAddress, _ state: NodeState,
    _ writer: StateWriter, _ lines: LineService, _ captions: CaptionService,
    _ problems: KeepingProblems
  ) async throws(DaemonError) -> Connections {
    let connections = try await Connections(
      effective.configuration, named: name, listen: listen, node: node, state: state,
      writer: writer, lines: lines, captions: captions, problems: problems, log: logger("mesh"))
    await lines.attach(connections.membership)
    return connections
  }

  private func openOffice(
    of connections: Connections, _ state: NodeState, _ node: Intercom
  ) throws(DaemonError) -> MessageOffice {
    let settings = effective.configuration
    do throws(JournalError) {
      return try MessageOffice(
        state: state, lane: connections.membership.lane,
        settings: MessageSettings(keepBytes: settings.messageKeepMegabytes * 1_000_000),
        retention: HistoryRetention(
          days: settings.messageDays, voiceDays: settings.voiceMessageDays,
          bytes: settings.messageHistoryMegabytes * 1_000_000),
        lines: settings.lineMessages,
        aloud: AloudDesk(
          settings.messageAloud, for: settings.people, settings.speech, door: node,
          log: logger("messages")),
        log: logger("messages"))
    } catch {
      throw .messages(error)
    }
  }

  /// The log of one part of the daemon.
  func logger(_ area: String) -> Logger {
    var log = StandardErrorLog(style: style, area: area)
    log.threshold = levels.threshold(
      of: area, configured: LogLevelName.level(effective.configuration.logLevel) ?? .info)
    return Logger(label: area) { _ in log }
  }

  private func logStart(_ log: Logger) {
    log.event(
      .starting, "starting",
      ["version": "\(Version.current)", "config": "\(effective.path ?? "none")"])
    if let problem = effective.chosenProblem {
      log.event(.chosenLost, "\(problem); this node starts without what was chosen")
    }
    for setting in Setting.allCases {
      let origin = effective.origins[setting] ?? .builtIn
      log.event(
        .setting, at: origin == .builtIn ? .debug : .info, "setting",
        [
          "\(setting.rawValue)": "\(effective.configuration.value(of: setting))",
          "origin": "\(origin.words)",
        ])
    }
  }
}

/// Where the daemon tells its figures.
extension Daemon {
  /// Tells figures to Prometheus; nil: nobody asked for it, or it cannot be, which is logged and no reason not to talk.
  func startPanel(_ model: NodeModel, _ server: ControlServer) async -> Panel? {
    guard let place = effective.configuration.metrics else { return nil }
    do throws(PanelError) {
      return try await Panel(host: place.host, port: Int(place.port)) {
        var status = await model.status()
        status.control = server.counters
        return status
      }
    } catch {
      logger("comlinkd").event(.metricsFailed, "--metrics: \(error)")
      return nil
    }
  }
}

/// What the node is called.
extension Daemon {
  /// Calls the node as the machine is called from now on, whenever that changes; nil: the user gave it a name.
  private func followHostName(
    _ name: NodeName, _ node: Intercom, _ connections: Connections
  ) -> HostNameWatch? {
    guard effective.origins[.name] ?? .builtIn == .builtIn else { return nil }
    let log = logger("comlinkd")
    return HostNameWatch { hostName in
      guard name.change(to: Configuration.nodeName(ofHost: hostName)) else { return }
      log.event(
        .renamed, "this machine has another name, and so has the node",
        ["name": "\(name.current)"])
      Task {
        await node.rename(name.current)
        await connections.rename()
      }
    }
  }
}

/// Where the daemon listens.
extension Daemon {
  /// Where control connections are taken: beside the media, whose socket is of IPv4 alone where the kernel has no IPv6.
  private func place(of node: Intercom, askedFor listen: SocketAddress) -> SocketAddress {
    guard node.localAddress.family == .ipv4, listen.family == .ipv6 else { return listen }
    let place = SocketAddress(ipv4: 0, port: listen.port)
    logger("comlinkd").event(
      .noIpv6, "this machine has no IPv6: listening on all addresses of IPv4",
      ["listen": "\(place)"])
    return place
  }

  /// The address of `--listen`.
  ///
  /// - Returns: nil when the end came first.
  func listenAddress(before ending: Task<Void, Never>) async throws(DaemonError) -> SocketAddress? {
    let settings = effective.configuration
    let origin = effective.origins[.listen] ?? .builtIn
    let address: SocketAddress?
    switch await addresses(of: settings.listen, before: ending) {
    case nil: return nil
    case .success(let addresses): address = addresses.first
    case .failure(let error):
      throw .setting(.listen, origin: origin, words: "cannot be used: \(error)")
    }
    guard let address else {
      throw .setting(.listen, origin: origin, words: "has no address: \(settings.listen.text)")
    }
    return address
  }

  /// A look-up can take many seconds and cannot be called off: where the end comes first, it is left behind.
  private func addresses(
    of listen: HostAndPort, before ending: Task<Void, Never>
  ) async -> Result<[SocketAddress], AddressError>? {
    let (outcomes, continuation) =
      AsyncStream<Result<[SocketAddress], AddressError>?>.makeStream()
    Task {
      await ending.value
      continuation.yield(nil)
    }
    Task {
      do throws(AddressError) {
        continuation.yield(.success(try await resolve(listen.text)))
      } catch {
        continuation.yield(.failure(error))
      }
    }
    for await outcome in outcomes { return outcome }
    return nil
  }
}
