internal import Cryptography
internal import Lines
internal import StatusSchema

/// Lines, keys and calls as those read of them who look.
struct LineStatuses: Sendable {
  let lines: [LineStatus]
  let keys: [KeyStatus]
  let calls: CallsStatus

  /// What a desk shows, with members by the names that they have here.
  init(
    _ desk: LineDesk, _ assistant: AssistantTally, nowNanoseconds now: Int64,
    naming name: (NodeID) -> String
  ) {
    lines = desk.lines.map { LineStatus($0, naming: name) }
    keys = desk.keys.map { KeyStatus($0.showing(assistant), naming: name) }
    calls = CallsStatus(desk.calls, nowNanoseconds: now, naming: name)
  }
}

extension LineStatus {
  fileprivate init(_ line: LineView, naming name: (NodeID) -> String) {
    self.init(name: line.name.text)
    (isJoined, isListening, isTalking) = (line.isJoined, line.isListening, line.isTalking)
    isSetListening = line.isSetListening
    levelDecibels = line.levelDecibels
    (priority, display) = (line.priority, line.display)
    if line.pan != 0 { pan = line.pan }
    port = line.port
    members = line.members.map(name)
    talkers = line.talkers.map(name)
    if line.isPrivate { isPrivate = true }
    if !line.invited.isEmpty { invited = line.invited.map(name) }
    invitedBy = line.invitedBy.map(name)
  }
}

extension KeyStatus {
  fileprivate init(_ view: KeyView, naming name: (NodeID) -> String) {
    self.init(
      name: view.key.name.text, lines: view.key.targets.compactMap(\.line?.text),
      activation: view.key.activation.rawValue, latchMilliseconds: view.key.latchMilliseconds)
    let others = view.key.targets.filter { $0.line == nil }
    if !others.isEmpty {
      targets = others.map { target in
        guard case .member(let member) = target, let node = NodeID(text: member.text) else {
          return "\(target)"
        }
        return "member:\(name(node))"
      }
    }
    (interlock, midi) = (view.key.interlock, view.key.midi.map { "\($0)" })
    (isSet, isHeld, isLatched) = (view.isSet, view.isHeld, view.isLatched)
    tally =
      switch (view.isTalking, view.isListening) {
      case (false, false): .off
      case (false, true): .listen
      case (true, false): .talk
      case (true, true): .talkListen
      }
    isCalled = view.isCalled
    talkers = view.talkers.map(name)
    isPresent = !talkers.isEmpty || view.isAnswered
    latchRefusedBy = view.latchRefusedBy.map(name)
  }
}

extension CallsStatus {
  fileprivate init(_ view: CallsView, nowNanoseconds now: Int64, naming name: (NodeID) -> String) {
    self.init()
    incoming = view.incoming.map { call in
      var status = CallStatus(peer: name(call.origin.node))
      status.line = call.origin.line?.text
      (status.isRinging, status.isTalking) = (call.isRinging, call.isTalking)
      status.isAnswering = call.origin == view.answering
      return status
    }
    outgoing = view.outgoing.map { call in
      var status = CallStatus(peer: "")
      switch call.target {
      case .member(let node): status.peer = name(node)
      case .line(let line): status.line = line.text
      }
      status.isRinging = true
      return status
    }
    announcers = view.announcers.map(name)
  }
}
