internal import ControlSocket
internal import Cryptography
internal import EventLoop
internal import Intercom
internal import Lines
internal import Logging
internal import Mesh
internal import Remote
internal import StatusSchema

/// Asks other nodes to do something, and does what operators ask of this one, over the lane's channel `remote`.
///
/// On the wire: 1 (a question) or 2 (an answer), the question's number (8 octets), and a control request or its answer
/// as JSON. A question is carried out once, after its sender's rights; an answer goes to who asked, and nobody waits
/// for one longer than ``answerSeconds``.
actor OperatorDesk {
  private static let answerSeconds = 4
  /// Questions of this node that wait.
  private static let mostQuestions = 32

  private let lines: LineService
  private let log: Logger
  private var lane: (any ApplicationLane)?
  /// What carries requests out here.
  private var handler: (any ControlHandler)?
  private var sequence: UInt64
  private var questions:
    [UInt64: (node: NodeID, answer: CheckedContinuation<ControlResponse, Never>)] =
      [:]
  /// What of others' questions is taken.
  private var gate = QuestionGate()
  private var acts: [NodeID: (count: Int, last: String)] = [:]
  private var refusals = TellingInterval<NodeID>(seconds: 5)

  init(lines: LineService, instance: UInt64, log: Logger) {
    (self.lines, self.log) = (lines, log)
    // Below 2 to the 62, as messages of lines are numbered.
    sequence = (instance & 0x3F_FFFF_FFFF) << 24
  }

  /// Members are asked, and ask, from now on.
  func start(_ lane: any ApplicationLane, _ handler: any ControlHandler) {
    (self.lane, self.handler) = (lane, handler)
    lane.open(.remote) { [weak self] message in await self?.take(message) }
  }

  /// Operators for those who look.
  var statuses: [OperatorStatus] {
    get async {
      await lines.operators.map { node, name, rights in
        var status = OperatorStatus(name: name, id: node.text, rights: rights.words)
        (status.acts, status.lastAct) = (acts[node]?.count ?? 0, acts[node]?.last)
        return status
      }
    }
  }

  // MARK: Asking

  /// Asks a node, and waits for its answer.
  func ask(_ request: ControlRequest, of node: NodeID, named name: String) async -> ControlResponse
  {
    guard request.operatorNeed != nil else {
      return .error(message: "no operator may do that from afar; do it at \(name) itself")
    }
    guard let lane else { return .error(message: "the node starts still; try again in a second") }
    guard questions.count < Self.mostQuestions else {
      return .error(message: "too many questions wait for an answer; try again in 5 seconds")
    }
    guard let text = try? JSONLine.encode(request) else {
      return .error(message: "the request cannot be written down")
    }
    sequence += 1
    let number = sequence
    let octets = Self.octets(1, number, text)
    guard octets.count <= LaneChannel.remote.maximumMessageBytes else {
      return .error(message: "the request is too long for another node")
    }
    return await withCheckedContinuation { continuation in
      questions[number] = (node, continuation)
      Task {
        do throws(LaneError) {
          try await lane.deliver(octets, on: .remote, to: node, sequence: number)
        } catch {
          end(number, .error(message: "\(name) is not in reach: \(error)"))
        }
      }
      Task {
        try? await Task.sleep(for: .seconds(Self.answerSeconds))
        end(
          number,
          .error(message: "\(name) did not answer within \(Self.answerSeconds) s; try again"))
      }
    }
  }

  private func end(_ number: UInt64, _ answer: ControlResponse) {
    questions.removeValue(forKey: number)?.answer.resume(returning: answer)
  }

  // MARK: Being asked

  private func take(_ message: LaneMessage) async {
    let sender = message.key.sender
    guard let kind = message.octets.first, message.octets.count > 9 else {
      return noteRefusal(of: sender, "its message is incomplete")
    }
    let number = message.octets[1..<9].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    let text = Array(message.octets[9...])
    switch kind {
    case 1:
      let answer = await answer(number, text, of: sender)
      sequence += 1
      let next = sequence
      var octets = Self.octets(2, number, (try? JSONLine.encode(answer)) ?? [])
      if octets.count > LaneChannel.remote.maximumMessageBytes {
        let error = ControlResponse.error(message: "the answer is too long to be sent")
        octets = Self.octets(2, number, (try? JSONLine.encode(error)) ?? [])
      }
      let (lane, reply) = (lane, octets)
      // The consumer waits for nobody.
      Task { try? await lane?.deliver(reply, on: .remote, to: sender, sequence: next) }
    case 2:
      guard questions[number]?.node == sender else { return }
      let answer = try? JSONLine.decode(ControlResponse.self, from: text)
      end(number, answer ?? .error(message: "the answer makes no sense to this version"))
    // Of a later version.
    default: return
    }
  }

  private func answer(
    _ number: UInt64, _ text: [UInt8], of sender: NodeID
  ) async -> ControlResponse {
    switch gate.take(number, of: sender, nowNanoseconds: EventLoop.nowNanoseconds()) {
    case .taken: break
    case .again: return .error(message: "that request came already, and is carried out once")
    case .tooMany:
      let most = QuestionGate.questionsPerSecond
      return .error(message: "more than \(most) requests in a second; try again")
    }
    guard let handler, let request = try? JSONLine.decode(ControlRequest.self, from: text) else {
      noteRefusal(of: sender, "its request makes no sense to this version")
      return .error(message: "that node's version does not know the request")
    }
    let (name, rights) = await lines.operatorRights(of: sender)
    guard let rights else {
      return refuse(sender, name, "it is no operator here", Self.remedy)
    }
    guard let need = request.operatorNeed else {
      return refuse(sender, name, "no operator may do that from afar")
    }
    guard rights.contains(need) else {
      let words = need.words.joined(separator: ", ")
      return refuse(sender, name, "it lacks the right \(words)", Self.remedy)
    }
    if await lines.hides(request) {
      return .error(message: "that cannot be set from afar; at the node itself it can")
    }
    let response = await answer(request, of: sender, by: handler)
    guard !need.isEmpty else { return await lines.withoutPrivateLines(response) }
    var words = request.operatorWords
    if case .error(let message) = response { words += " (refused: \(message))" }
    acts[sender] = ((acts[sender]?.count ?? 0) + 1, words)
    log.event(
      .operatorAct, "an operator sets something",
      ["from": "\(name)", "id": "\(sender.text)", "request": "\(words)"])
    return response
  }

  /// What the node's own handler says, but for the names of keys that talk on private lines.
  private func answer(
    _ request: ControlRequest, of sender: NodeID, by handler: any ControlHandler
  ) async -> ControlResponse {
    guard case .operators(.kill) = request else {
      return await handler.handle(request.held(by: sender))
    }
    do throws(LineError) {
      return .done(note: try await lines.releaseLatchesFromAfar())
    } catch {
      return .error(message: "\(error)")
    }
  }

  private static let remedy =
    "; whoever is at that node allows it with: comlink operator allow NAME --mic-gain, --levels, "
    + "--keys or --kill"

  private func refuse(
    _ sender: NodeID, _ name: String, _ why: String, _ remedy: String = "; do it at that node"
  ) -> ControlResponse {
    noteRefusal(of: sender, named: name, why)
    return .error(message: "refused there: \(why)\(remedy)")
  }

  /// Counts something that was not taken, and tells of it.
  private func noteRefusal(of sender: NodeID, named name: String? = nil, _ why: String) {
    gate.refuse()
    guard refusals.tells(sender, nowNanoseconds: EventLoop.nowNanoseconds()) else { return }
    log.event(
      .operatorRefused, "what a member asks for is refused: \(why)",
      [
        "from": "\(name ?? String(sender.text.prefix(8)))", "id": "\(sender.text)",
        "refused": "\(gate.refused)",
      ])
  }

  private static func octets(_ kind: UInt8, _ number: UInt64, _ text: [UInt8]) -> [UInt8] {
    [kind] + (0..<8).map { UInt8(truncatingIfNeeded: number >> UInt64(56 - 8 * $0)) } + text
  }
}

extension ControlRequest {
  /// What an operator must be allowed for it; empty: any operator may; nil: none may.
  var operatorNeed: OperatorRights? {
    switch self {
    case .line(.list), .key(.list): []
    case .voice(let changes): changes.keys.allSatisfy { $0 == "gain" } ? .microphoneGain : nil
    case .ear, .gain, .mute, .pan, .place, .sidetone, .patch(.bus), .line(.listen), .line(.level),
      .line(.pan),
      .line(.priority), .line(.display):
      .levels
    case .talk, .key, .line(.new(_, isPrivate: false)), .line(.join(_, isPrivate: false)),
      .line(.leave):
      .keys
    case .operators(.kill): .kill
    default: nil
    }
  }

  /// It, so that a key that is pressed from afar is let go of a second after its holder was heard of last.
  fileprivate func held(by node: NodeID) -> ControlRequest {
    let holder = "operator \(node.text.prefix(8))"
    return switch self {
    case .key(.press(let key, _)): .key(.press(key: key, holder: holder))
    case .key(.release(let key, _, let isTap)):
      .key(.release(key: key, holder: holder, isTap: isTap))
    case .key(.hold): .key(.hold(holder: holder))
    default: self
    }
  }

  /// It, for the log.
  fileprivate var operatorWords: String {
    guard let text = try? JSONLine.encode(self) else { return "a request" }
    return String(String(decoding: text, as: UTF8.self).prefix(200))
  }
}
