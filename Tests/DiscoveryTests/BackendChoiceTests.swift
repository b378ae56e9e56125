import Testing

@testable import Discovery

@Suite struct BackendChoiceTests {
  private static let second: Int64 = 1_000_000_000

  /// Advances and returns what is to be done.
  private func actions(_ choice: inout BackendChoice, at seconds: Int64) -> [BackendChoice.Action] {
    choice.advance(nowNanoseconds: seconds * Self.second)
    return choice.takeActions()
  }

  private func started(with state: BackendChoice.DaemonState) -> BackendChoice {
    var choice = BackendChoice(nowNanoseconds: 0)
    #expect(actions(&choice, at: 0) == [.startClient])
    choice.daemonIs(state, nowNanoseconds: 0)
    return choice
  }

  @Test func `a daemon that runs is used, and no responder started`() {
    var choice = started(with: .running)
    #expect(actions(&choice, at: 0) == [.use(.daemon)])
    #expect(actions(&choice, at: 1000) == [])
    #expect(choice.nextDeadlineNanoseconds == nil)
  }

  @Test func `without a daemon the own responder is used at once`() {
    var choice = started(with: .absent)
    #expect(actions(&choice, at: 0) == [.startOwn])
    choice.ownStarted()
    #expect(actions(&choice, at: 0) == [.use(.inProcess)])
    #expect(choice.inUse == .inProcess)
  }

  @Test func `a daemon that appears takes over`() {
    var choice = started(with: .absent)
    _ = actions(&choice, at: 0)
    choice.ownStarted()
    _ = actions(&choice, at: 0)
    choice.daemonIs(.registering, nowNanoseconds: 60 * Self.second)
    #expect(actions(&choice, at: 60) == [])
    choice.daemonIs(.running, nowNanoseconds: 61 * Self.second)
    #expect(actions(&choice, at: 61) == [.stopOwn, .use(.daemon)])
  }

  @Test func `a daemon that still registers has three seconds`() {
    var choice = started(with: .registering)
    #expect(actions(&choice, at: 2) == [])
    #expect(actions(&choice, at: 3) == [.startOwn])
  }

  @Test func `a daemon that dies is waited for, then replaced`() {
    var choice = started(with: .running)
    _ = actions(&choice, at: 0)
    choice.daemonIs(.failed, nowNanoseconds: 10 * Self.second)
    #expect(actions(&choice, at: 10) == [.stopClient, .use(.none), .startClient])
    choice.daemonIs(.absent, nowNanoseconds: 10 * Self.second)
    #expect(actions(&choice, at: 12) == [])
    #expect(choice.nextDeadlineNanoseconds == 13 * Self.second)
    #expect(actions(&choice, at: 13) == [.startOwn])
  }

  @Test func `a daemon that is only restarted is used again`() {
    var choice = started(with: .running)
    _ = actions(&choice, at: 0)
    choice.daemonIs(.failed, nowNanoseconds: 10 * Self.second)
    _ = actions(&choice, at: 10)
    choice.daemonIs(.running, nowNanoseconds: 12 * Self.second)
    #expect(actions(&choice, at: 13) == [.use(.daemon)])
    #expect(choice.nextDeadlineNanoseconds == nil)
  }

  @Test func `without D-Bus the client is tried again, ever more seldom`() {
    var choice = BackendChoice(nowNanoseconds: 0)
    var tries: [Int64] = []
    for time in 0...100 {
      for action in actions(&choice, at: Int64(time)) {
        if action == .startClient {
          tries.append(Int64(time))
          choice.clientRefused(nowNanoseconds: Int64(time) * Self.second)
        }
        if action == .startOwn { choice.ownStarted() }
      }
    }
    #expect(tries == [0, 5, 15, 35, 65, 95])
    #expect(choice.inUse == .inProcess)
  }

  @Test func `where nothing works it is said, and tried again ever more seldom`() {
    var choice = BackendChoice(nowNanoseconds: 0)
    var problems: [Int64] = []
    for time in 0...200 {
      let now = Int64(time) * Self.second
      var due = actions(&choice, at: Int64(time))
      while let action = due.popLast() {
        switch action {
        case .startClient: choice.clientRefused(nowNanoseconds: now)
        case .startOwn: choice.ownFailed("no sockets", nowNanoseconds: now)
        case .problem(let words):
          #expect(words.contains("no sockets"))
          problems.append(Int64(time))
        default: Issue.record("\(action)")
        }
        due += actions(&choice, at: Int64(time))
      }
    }
    #expect(problems == [0, 2, 6, 14, 30, 62, 122, 182])
  }

  @Test func `a responder that fails later is started again`() {
    var choice = started(with: .absent)
    _ = actions(&choice, at: 0)
    choice.ownStarted()
    _ = actions(&choice, at: 0)
    choice.ownFailed("gone", nowNanoseconds: 5 * Self.second)
    #expect(actions(&choice, at: 5).prefix(2) == [.stopOwn, .use(.none)])
    #expect(actions(&choice, at: 7) == [.startOwn])
  }
}
