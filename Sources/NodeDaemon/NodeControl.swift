internal import Cryptography
internal import Intercom
internal import ControlSocket
internal import Remote
internal import StatusSchema
internal import Store

/// Carries requests of the control socket out on the node.
struct NodeControl: ControlHandler {
  let node: Intercom
  let state: NodeState
  let writer: StateWriter
  let connections: Connections
  let recordings: Recordings
  let tests: TestControl
  let office: MessageOffice
  let voices: VoiceMessages
  let lines: LineControl
  let operators: OperatorDesk
  let assistant: AssistantControl
  let restart: RestartWish
  let captions: CaptionControl
  let levels: LogLevels
  let model: NodeModel
  let page: PageDesk
  let source: ConfigurationSource

  func pictures() -> AsyncStream<NodePicture>? { model.pictures() }

  func handle(_ request: ControlRequest) async -> ControlResponse {
    // Whatever was asked for may have changed something.
    defer { model.touch() }
    return await answer(request)
  }

  private func answer(_ request: ControlRequest) async -> ControlResponse {
    do throws(IntercomError) {
      switch request {
      case .status: return .status(await model.status())
      // The server's own business.
      case .subscribe: return .error(message: "subscribe at the control socket")
      case .version: return .version(Version.current, schema: Status.currentSchema)
      case .talk(let isOn): try await lines.setTalk(isOn)
      case .line(let request): return await lines.handle(request)
      case .key(let request): return await lines.handle(request)
      case .operators(let request): return await lines.handle(request, by: operators)
      case .ear(let changes): return await lines.setEar(changes)
      case .patch(let request):
        return await PatchControl(node: node, lines: lines.lines).handle(request)
      case .call(let request): return await lines.handle(request)
      case .service(let request):
        return await ServiceControl(model: model, life: restart).handle(request)
      case .assistant(let request): return await assistant.handle(request)
      case .captions(let request): return await captions.handle(request)
      case .session(let request): return await captions.handle(request)
      case .sidetone(let decibels): try await node.setSidetone(decibels)
      case .voice(let changes):
        let problem = try await node.setVoice(changes)
        await connections.membership.tellEffect(await node.voiceEffect)
        if let problem { return .done(note: problem) }
      case .choose(let changes): return await choices.choose(changes)
      case .gain(let peer, let decibels): try await node.setGain(decibels, peer: peer)
      case .mute(let peer, let isOn): try await node.setMuted(isOn, peer: peer)
      case .pan(let peer, let position): try await node.setPan(position, peer: peer)
      case .place(let peer, let azimuth, let elevation):
        try await node.setPlace(azimuth, elevation, peer: peer)
      case .groupList: return GroupControl(state: state).handle(request)
      case .groupNew, .groupJoin, .groupLeave:
        let groups = GroupControl(state: state)
        let response = await writer.run { groups.handle(request) }
        if response.changesGroups(asked: request) {
          connections.announcer.groupsChanged()
          await office.groupsChanged()
          page.renew()
        }
        return response
      case .pageToken(let request): return page.handle(request)
      case .pageInvite, .pageList, .pageRevoke: return page.handle(request)
      case .identityNew: return await newIdentity()
      case .recordStart, .recordStop: return await record(request)
      case .peers, .accept, .decline, .invite, .forget, .block, .pairShow, .pairWith:
        return await admission(request)
      case .say, .messages, .messagesClear, .messageAct:
        return await messages.handle(request)
      case .voiceMessage(let request): return await voices.control(messages).handle(request)
      case .logLevel(let level, let area): return levels.answer(level: level, area: area)
      case .sound(let request): return await tests.handle(request)
      case .testTone, .testLoop, .testSpeech, .loopBack, .loopBackOff:
        return await tests.handle(request)
      }
      return .ok
    } catch {
      return .error(message: "\(error)")
    }
  }

  private var choices: StationChoices {
    StationChoices(source: source, state: state, writer: writer)
  }

  private var messages: MessageControl {
    MessageControl(office: office, membership: connections.membership, lines: lines.lines)
  }

  /// Messages of whom the user keeps out are not taken from others either.
  private func admission(_ request: ControlRequest) async -> ControlResponse {
    let membership = connections.membership
    var other: NodeID?
    if case .forget(let peer) = request { other = try? await membership.node(named: peer) }
    if case .block(let peer) = request { other = try? await membership.node(named: peer) }
    let response = await AdmissionControl(connections: connections).handle(request)
    if let other { await office.block(await membership.blockedNodes, forgetting: other) }
    return response
  }

  private func newIdentity() async -> ControlResponse {
    do throws(StoreError) {
      return .newIdentity(
        try await writer.run { [state] () throws(StoreError) in try state.renewIdentity().words })
    } catch {
      return .error(message: "\(error)")
    }
  }

  private func record(_ request: ControlRequest) async -> ControlResponse {
    do {
      if case .recordStart(let recording) = request {
        return .recording(path: try await recordings.start(recording))
      }
      try await recordings.stop()
      return .ok
    } catch {
      return .error(message: "\(error)")
    }
  }
}

extension ControlResponse {
  /// Whether what was asked for made the node's groups others.
  fileprivate func changesGroups(asked request: ControlRequest) -> Bool {
    if case .error = self { return false }
    return request != .groupList
  }
}
