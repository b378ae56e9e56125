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
  let levels: LogLevels
  let problems: KeepingProblems

  func handle(_ request: ControlRequest) async -> ControlResponse {
    do throws(IntercomError) {
      switch request {
      case .status: return .status(await status())
      case .version: return .version(Version.current, schema: Status.currentSchema)
      case .talk(let isOn): await node.setTalk(isOn)
      case .gain(let peer, let decibels): try await node.setGain(decibels, peer: peer)
      case .mute(let peer, let isOn): try await node.setMuted(isOn, peer: peer)
      case .pan(let peer, let position): try await node.setPan(position, peer: peer)
      case .groupList: return GroupControl(state: state).handle(request)
      case .groupNew, .groupJoin, .groupLeave:
        let groups = GroupControl(state: state)
        let response = await writer.run { groups.handle(request) }
        if response.changesGroups(asked: request) { connections.announcer.groupsChanged() }
        return response
      case .identityNew: return await newIdentity()
      case .recordStart, .recordStop: return await record(request)
      case .peers, .accept, .decline, .invite, .forget, .block, .pairShow, .pairWith:
        return await AdmissionControl(connections: connections).handle(request)
      case .logLevel(let level, let area): return levels.answer(level: level, area: area)
      case .testTone, .testLoop, .testSpeech, .loopBack, .loopBackOff:
        return await tests.handle(request)
      }
      return .ok
    } catch {
      return .error(message: "\(error)")
    }
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

  /// The status with what the node itself does not know of its identity.
  func status() async -> Status {
    var status = await node.status()
    status.recording = await recordings.status
    status.node.id = state.id.text
    status.node.idWords = state.id.words.joined(separator: " ")
    status.node.instance = state.instance
    status.node.identityProblem = state.problem.map { "\($0)" }
    status.node.statePath = state.directory
    status.node.trustProblem = state.memoryProblem.map { "\($0)" }
    status.node.keepingProblem = problems.words
    let membership = connections.membership
    status.node.identityTwin = await membership.twin?.words
    let (instances, profiles) = await (membership.instances, membership.profiles)
    let loopingBack = await membership.loopingBack
    for index in status.peers.indices {
      guard let node = status.peers[index].id.flatMap({ NodeID(text: $0) }) else { continue }
      status.peers[index].instance = instances[node]
      status.peers[index].isLoopingBack = loopingBack.contains(node)
      status.peers[index].role = profiles[node]?.shownRole
      status.peers[index].colour = profiles[node]?.shownColour
      status.peers[index].version = profiles[node]?.shownVersion
    }
    return status
  }
}

extension ControlResponse {
  /// Whether what was asked for made the node's groups others.
  fileprivate func changesGroups(asked request: ControlRequest) -> Bool {
    if case .error = self { return false }
    return request != .groupList
  }
}
