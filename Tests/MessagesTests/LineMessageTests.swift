import Cryptography
import Messages
import TestKit
import Testing

/// Messages for lines, in whole networks in virtual time.
@Suite(.timeLimit(.minutes(5))) struct LineMessageTests {
  private static let stage = LineTag.named("stage")
  private static let board = LineTag.hidden([UInt8](repeating: 3, count: 16))

  private let network: MessageNetwork

  /// Five nodes that know each other: 0, 1 and 2 are on line Stage, and on the private line Board.
  init() throws {
    network = try MessageNetwork(count: 5, seed: 4, group: try Group(name: "crew"))
    network.put([0, 1, 2], on: Self.stage, named: "Stage")
    network.put([0, 1, 2], on: Self.board, named: "Board")
    network.run(seconds: 10)
  }

  private func id(_ index: Int) -> NodeID { network.nodes[index].identity.id }

  private func shown(_ index: Int) -> [Conversation] {
    network.nodes[index].journal.history.map(\.conversation)
  }

  private func refusal(_ index: Int, _ tag: LineTag) throws -> SayError? {
    let now = MessageTime(steadyNanoseconds: network.nowNanoseconds, unixMilliseconds: 0)
    let desk = try #require(network.nodes[index].desk)
    do throws(SayError) {
      _ = try desk.say("x", to: .line(tag), now: now)
      return nil
    } catch {
      return error
    }
  }

  @Test(arguments: [stage, board])
  func `a message for a line is shown there to those on it, and to nobody else`(tag: LineTag)
    throws
  {
    let message = try #require(network.say("cue 4", from: 0, to: .line(tag)))
    network.run(seconds: 3)
    for index in 0...2 { #expect(shown(index) == [.line(tag)]) }
    for index in 3...4 { #expect(shown(index).isEmpty) }
    #expect(Set(message.recipients) == [id(1), id(2)])
    #expect(network.nodes[0].journal.state.held.isEmpty, "all have it")
  }

  @Test(arguments: [stage, board])
  func `who was on it gets it after its return, though its sender is off, and a restart`(
    tag: LineTag
  ) throws {
    network.kill(2)
    network.run(seconds: 1)
    // Who else is on the line is known after a restart, too.
    network.kill(0)
    try network.start(0)
    network.run(seconds: 5)
    let message = try #require(network.say("wait for me", from: 0, to: .line(tag)))
    #expect(Set(message.recipients) == [id(1), id(2)])
    network.run(seconds: 5)
    network.kill(0)
    try network.start(2)
    network.run(seconds: 5)
    #expect(shown(2) == [.line(tag)])
  }

  @Test func `what is for a private line is kept by those on it only, and names it nowhere`() throws
  {
    network.kill(2)
    network.run(seconds: 1)
    let message = try #require(network.say("only us", from: 0, to: .line(Self.board)))
    network.run(seconds: 5)
    for index in 3...4 { #expect(network.nodes[index].journal.state.held.isEmpty) }
    #expect(network.nodes[1].journal.state.held.map(\.key) == [message.key])
    let octets = try #require(try network.nodes[1].journal.envelope(message.key))
    #expect(!octets.holds(Array("Board".utf8)) && !octets.holds([UInt8](repeating: 3, count: 16)))
    // Of other lines anybody keeps it.
    _ = network.say("for all", from: 0, to: .line(Self.stage))
    network.run(seconds: 5)
    #expect((3...4).contains { !network.nodes[$0].journal.state.held.isEmpty })
    try network.start(2)
    network.run(seconds: 65)
    #expect(Set(shown(2)) == [.line(Self.board), .line(Self.stage)])
    #expect(network.nodes.allSatisfy { $0.journal.state.held.isEmpty })
  }

  @Test(arguments: UInt64(1)...8)
  func `what is of a private line and what is not come in order, from whoever keeps each`(
    seed: UInt64
  ) throws {
    let network = try MessageNetwork(count: 9, seed: seed, group: try Group(name: "crew"))
    for line in [Self.stage, Self.board] { network.put([0, 1, 2], on: line, named: "x") }
    network.run(seconds: 10)
    network.kill(2)
    network.run(seconds: 1)
    let said = [Self.stage, Self.board, Self.stage, Self.board, Self.stage].compactMap {
      network.say("x", from: 0, to: .line($0))
    }
    network.run(seconds: 5)
    network.kill(0)
    try network.start(2)
    network.run(seconds: 30)
    #expect(
      network.nodes[2].shown(of: network.nodes[0].identity.id) == said.map(\.key.sequence))
  }

  @Test(arguments: [stage, board])
  func `whoever leaves a line gets no more of it`(tag: LineTag) throws {
    network.put([0, 1], on: tag, named: "Stage")
    network.run(seconds: 3)
    let message = try #require(network.say("only us", from: 0, to: .line(tag)))
    #expect(message.recipients == [id(1)])
    #expect(try refusal(2, tag) == .notOnLine(tag == Self.stage ? "stage" : "Board"))
  }

  @Test func `who is removed from a private line while it is away gets no more of it`() throws {
    network.kill(2)
    network.run(seconds: 1)
    network.put([0, 1], on: Self.board, named: "Board")
    network.run(seconds: 3)
    let message = try #require(network.say("only us", from: 0, to: .line(Self.board)))
    #expect(message.recipients == [id(1)])
    try network.start(2)
    network.run(seconds: 5)
    #expect(shown(2).isEmpty)
  }

  @Test func `who is away longer than messages are kept is on the line no more`() throws {
    network.kill(2)
    network.sleep(seconds: Int64(MessageLimits.lifetimeSeconds) + 3600)
    network.put([0, 1, 3], on: Self.stage, named: "Stage")
    network.run(seconds: 3)
    let message = try #require(network.say("only us", from: 0, to: .line(Self.stage)))
    #expect(Set(message.recipients) == [id(1), id(3)])
  }

  @Test func `a line that nobody else is on is refused in words, and so is one that was left`()
    throws
  {
    network.put([4], on: .named("alone"), named: "Alone")
    network.run(seconds: 1)
    #expect(try refusal(4, .named("alone")) == .nobodyOnLine("Alone"))
    #expect(try refusal(4, Self.stage) == .notOnLine("stage"))
    let desk = try #require(network.nodes[0].desk)
    #expect(try desk.line(named: "STAGE") == .line(Self.stage))
    #expect(try desk.line(named: "board") == .line(Self.board))
    #expect(throws: SayError.badLine("")) { try desk.line(named: "") }
    for error in [
      SayError.notOnLine("x"), .nobodyOnLine("x"), .badLine("x"), .memberAndLine("x"),
    ] { #expect(error.description.contains("x")) }
  }

  @Test func `those who share no group get it by their own keys, as many as there is room for`()
    throws
  {
    let loners = try MessageNetwork(count: 90, seed: 9, groups: [])
    loners.put(Set(0..<90), on: Self.stage, named: "Stage")
    loners.run(seconds: 10)
    let now = MessageTime(steadyNanoseconds: loners.nowNanoseconds, unixMilliseconds: 0)
    let desk = try #require(loners.nodes[0].desk)
    #expect(throws: SayError.tooMany(count: 89)) {
      try desk.say(String(repeating: "x", count: 4096), to: .line(Self.stage), now: now)
    }
    loners.put(Set(0..<30), on: Self.stage, named: "Stage")
    loners.run(seconds: 3)
    let message = try #require(
      loners.say(String(repeating: "x", count: 4096), from: 0, to: .line(Self.stage)))
    loners.run(seconds: 3)
    #expect(message.recipients.count == 29)
    for index in 1..<30 { #expect(loners.nodes[index].journal.history.count == 1) }
  }
}

extension [UInt8] {
  /// Whether others stand in it one after the other.
  fileprivate func holds(_ others: [UInt8]) -> Bool {
    indices.contains { self[$0...].starts(with: others) }
  }
}
