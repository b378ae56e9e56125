internal import Cryptography
internal import Intercom
internal import Mesh
internal import StatusSchema
internal import Store

/// Gathers all that is known of a node, of those who know it.
struct NodeSurvey {
  let node: Intercom
  let state: NodeState
  let connections: Connections
  let recordings: Recordings
  let office: MessageOffice
  let voices: VoiceMessages
  let lines: LineService
  let operators: OperatorDesk
  let guests: GuestService
  let midi: MIDIService
  let assistant: AssistantOffice
  let captions: CaptionService
  let problems: KeepingProblems
  let profile: ProfileChoice
  let battery = BatteryWatch()

  /// The status with what the node itself does not know of its identity.
  func status() async -> Status {
    var status = await node.status()
    status.recording = await recordings.status
    var messages = await office.status
    await voices.tell(&messages)
    messages.aloud = await office.aloud.status
    status.messages = messages
    status.node.ear = await lines.ear
    status.node.battery = battery.status
    status.node.profile = profile.text
    status.assistant = await assistant.status
    status.captions = await captions.status
    let lines = await lines.statuses
    (status.lines, status.keys, status.calls) = (lines.lines, lines.keys, lines.calls)
    status.midi = await midi.status
    await guests.fill(&status)
    await assistant.fill(&status)
    let operators = await operators.statuses
    if !operators.isEmpty { status.operators = operators }
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
      status.peers[index].effect = profiles[node]?.shownEffect
      status.peers[index].people = profiles[node]?.people?.rawValue
      status.peers[index].role = profiles[node]?.shownRole
      status.peers[index].colour = profiles[node]?.shownColour
      status.peers[index].version = profiles[node]?.shownVersion
    }
    return status
  }
}

extension NodeModel.Look {
  /// Looks at what a survey gathers, and at its node.
  init(_ survey: NodeSurvey) {
    let node = survey.node
    self.init {
      await survey.status()
    } revision: {
      node.revision
    } levels: {
      node.levels
    }
  }
}
