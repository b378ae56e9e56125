import Lines
import Remote
import Testing

@testable import NodeDaemon

/// What an operator must be allowed for what it asks.
@Suite struct OperatorNeedTests {
  @Test(
    arguments: [
      (.line(.list), []), (.key(.list), []), (.voice(changes: ["gain": "auto"]), .microphoneGain),
      (.ear(changes: ["volume": "-6"]), .levels), (.line(.level(line: "a", decibels: 0)), .levels),
      (.key(.tap(key: "a")), .keys), (.talk(isOn: true), .keys), (.line(.join(line: "a")), .keys),
      (.operators(.kill), .kill),
    ] as [(ControlRequest, OperatorRights)])
  func `each request needs its right`(request: ControlRequest, need: OperatorRights) {
    #expect(request.operatorNeed == need)
  }

  @Test(
    arguments: [
      .status, .voice(changes: ["gain": "auto", "gate": "off"]), .groupList, .recordStop,
      .line(.join(line: "a", isPrivate: true)), .line(.new(line: "a", isPrivate: true)),
      .line(.add(line: "a", peer: "b")), .operators(.allow(peer: "b", rights: [])),
      .operators(.at(peer: "b", .status)), .say(to: "b", text: "x"),
    ] as [ControlRequest])
  func `nothing else is done from afar`(request: ControlRequest) {
    #expect(request.operatorNeed == nil)
  }
}
