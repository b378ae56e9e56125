import Testing

@testable import Assistant

/// A call from its beginning to each of its ends, in virtual time.
@Suite final class AssistantCallTests {
  private static let second: Int64 = 1_000_000_000

  private var now: Int64 = 0
  private var call = AssistantCall(CallSettings(prompt: "Be short."), nowNanoseconds: 0)

  private func connect() {
    call.connected(nowNanoseconds: now)
    _ = actions()
  }

  private func actions() -> [AssistantCall.Action] { call.takeActions() }

  private func ask(_ text: String) -> Bool { call.ask(text, nowNanoseconds: now) }

  /// Somebody speaks for a second, and is understood.
  private func speak(_ text: String) -> [AssistantCall.Action] {
    call.hear(voice: true, nowNanoseconds: now)
    #expect(actions() == [.listen])
    now += Self.second
    call.hear(voice: false, nowNanoseconds: now)
    guard case .recognise(let number) = actions().last else { return [] }
    call.heard(text, of: number, nowNanoseconds: now)
    return actions()
  }

  /// The number of the question under way.
  private static func query(_ actions: [AssistantCall.Action]) -> Int {
    for case .query(let number, _) in actions { return number }
    return 0
  }

  private static func end(_ actions: [AssistantCall.Action]) -> CallEnd? {
    for case .end(let end) in actions { return end }
    return nil
  }

  @Test func `a spoken question is answered sentence by sentence`() {
    #expect(call.state == .connecting)
    connect()
    #expect(call.state == .listening)
    let asked = speak("How far is it?")
    #expect(asked.first == .say(.user, "How far is it?", isInterrupted: false))
    #expect(call.state == .thinking)
    let query = Self.query(asked)
    call.take(.text("It is 3.5 miles. "), of: query, nowNanoseconds: now)
    #expect(actions() == [.speak(1, "It is 3.5 miles.")])
    #expect(call.state == .speaking)
    call.take(.text("Turn left"), of: query, nowNanoseconds: now)
    #expect(actions().isEmpty)
    call.spoke(1, nowNanoseconds: now)
    #expect(call.state == .thinking)
    call.take(.end([]), of: query, nowNanoseconds: now)
    #expect(actions() == [.speak(2, "Turn left")])
    call.spoke(2, nowNanoseconds: now)
    #expect(
      actions() == [.say(.assistant, "It is 3.5 miles. Turn left", isInterrupted: false)])
    #expect(call.state == .listening)
  }

  @Test func `the next question has the last turn with it`() {
    connect()
    let first = Self.query(speak("One?"))
    call.take(.text("Two."), of: first, nowNanoseconds: now)
    call.take(.end([]), of: first, nowNanoseconds: now)
    call.spoke(1, nowNanoseconds: now)
    _ = actions()
    guard case .query(_, let query)? = speak("And then?").last else {
      Issue.record("no question")
      return
    }
    #expect(query.messages.map(\.text) == ["Be short.", "One?", "Two.", "And then?"])
    #expect(query.messages.map(\.role) == [.system, .user, .assistant, .user])
  }

  @Test func `a voice takes the floor within 200 ms, and what was heard stays`() {
    connect()
    let query = Self.query(speak("Tell me all."))
    call.take(.text("First. Second. Third"), of: query, nowNanoseconds: now)
    call.spoke(1, nowNanoseconds: now)
    _ = actions()
    let began = now
    call.hear(voice: true, nowNanoseconds: now)
    #expect(actions().isEmpty)
    now = call.deadlineNanoseconds
    call.tick(nowNanoseconds: now)
    #expect(now - began <= 200_000_000)
    #expect(
      actions() == [
        .dropQuery, .silence, .say(.assistant, "First.", isInterrupted: true), .listen,
      ])
    #expect(call.state == .listening)
    call.take(.text(" Fourth."), of: query, nowNanoseconds: now)
    call.spoke(2, nowNanoseconds: now)
    #expect(actions().isEmpty)
  }

  @Test func `a cough does not take the floor`() {
    connect()
    let query = Self.query(speak("Tell me all."))
    call.take(.text("First. "), of: query, nowNanoseconds: now)
    _ = actions()
    call.hear(voice: true, nowNanoseconds: now)
    now += 60_000_000
    call.hear(voice: false, nowNanoseconds: now)
    now += 60_000_000
    call.tick(nowNanoseconds: now)
    #expect(actions().isEmpty)
    #expect(call.state == .speaking)
  }

  @Test func `who goes on after a pause is asked about all of it`() {
    connect()
    call.hear(voice: true, nowNanoseconds: now)
    call.hear(voice: false, nowNanoseconds: now)
    #expect(actions() == [.listen, .recognise(1)])
    call.hear(voice: true, nowNanoseconds: now)
    now = call.deadlineNanoseconds
    call.tick(nowNanoseconds: now)
    #expect(actions() == [.listen])
    call.heard("Is the gate", of: 1, nowNanoseconds: now)
    call.hear(voice: false, nowNanoseconds: now)
    #expect(actions() == [.recognise(2)])
    call.heard("on line two?", of: 2, nowNanoseconds: now)
    #expect(
      actions().first == .say(.user, "Is the gate on line two?", isInterrupted: false))
  }

  @Test func `noise that is no word is forgotten`() {
    connect()
    #expect(speak(" … ").isEmpty)
    #expect(call.state == .listening)
  }

  @Test func `what is typed is a turn as what is said is`() {
    #expect(!ask("Too early?"))
    connect()
    #expect(ask("Who is there?"))
    #expect(actions().first == .say(.user, "Who is there?", isInterrupted: false))
    // The next one takes the floor.
    #expect(ask("Never mind."))
    #expect(
      actions().prefix(2) == [
        .dropQuery, .say(.user, "Never mind.", isInterrupted: false),
      ])
  }

  @Test func `tools are used, and their findings asked about, at most so often`() {
    var settings = CallSettings(prompt: "")
    settings.tools = [ToolOffer(name: "doctor", purpose: "")]
    settings.toolRounds = 2
    call = AssistantCall(settings, nowNanoseconds: 0)
    connect()
    #expect(ask("Am I well?"))
    var actions = self.actions()
    let wish = ToolCall(id: "1", name: "doctor", arguments: "")
    for round in 1...2 {
      let query = Self.query(actions)
      call.take(.end([wish]), of: query, nowNanoseconds: now)
      #expect(self.actions() == [.use(query, [wish])])
      call.used([ToolResult(wish, "all is well")], of: query, nowNanoseconds: now)
      actions = self.actions()
      guard case .query(_, let next)? = actions.last else {
        Issue.record("no question")
        return
      }
      #expect(next.messages.last?.text == "all is well" && next.messages.last?.callID == "1")
      #expect(next.tools.isEmpty == (round == 2))
    }
    // It was offered none, and wants one all the same.
    call.take(.end([wish]), of: Self.query(actions), nowNanoseconds: now)
    #expect(
      self.actions().contains(.trouble("the language model said nothing; ask again")))
  }

  @Test func `a turn that fails is told, and the third in a row ends the call`() {
    connect()
    for turn in 1...3 {
      let query = Self.query(speak("Hello?"))
      call.fail(.cut, of: query, nowNanoseconds: now)
      let actions = self.actions()
      #expect(actions.contains(.trouble("\(ChatFault.cut)")))
      #expect(call.state == (turn < 3 ? .listening : .error))
      #expect(Self.end(actions) == (turn < 3 ? nil : .failed("\(ChatFault.cut)")))
    }
  }

  @Test func `silence ends a call after 30 s, whoever spoke last`() {
    connect()
    let query = Self.query(speak("Hello?"))
    call.take(.text("Hello."), of: query, nowNanoseconds: now)
    call.take(.end([]), of: query, nowNanoseconds: now)
    now += 20 * Self.second
    call.spoke(1, nowNanoseconds: now)
    _ = actions()
    #expect(call.deadlineNanoseconds == now + 30 * Self.second)
    now += 29 * Self.second
    call.tick(nowNanoseconds: now)
    #expect(call.state == .listening)
    now += Self.second
    call.tick(nowNanoseconds: now)
    #expect(Self.end(actions()) == .silence)
    #expect(call.state == .ended && call.deadlineNanoseconds == .max)
  }

  @Test func `a call ends after ten minutes, whatever it does`() {
    connect()
    let query = Self.query(speak("Read me a book."))
    while now < 599 * Self.second {
      now += 4 * Self.second
      call.take(.text("And on it goes. "), of: query, nowNanoseconds: now)
      call.tick(nowNanoseconds: now)
    }
    call.tick(nowNanoseconds: 600 * Self.second)
    let actions = self.actions()
    #expect(actions.contains(.silence) && Self.end(actions) == .length)
  }

  @Test func `nothing happens after the end`() {
    connect()
    let query = Self.query(speak("Hello?"))
    call.hangUp(nowNanoseconds: now)
    #expect(Self.end(actions()) == .hungUp)
    call.take(.text("Hello."), of: query, nowNanoseconds: now)
    call.hear(voice: true, nowNanoseconds: now)
    call.hangUp(nowNanoseconds: now)
    call.tick(nowNanoseconds: .max)
    #expect(!ask("Hello?"))
    #expect(actions().isEmpty)
  }
}
