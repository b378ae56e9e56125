import Testing

@testable import Assistant

/// Attempts and time-outs, in virtual time.
@Suite final class ChatExchangeTests {
  private static let second: Int64 = 1_000_000_000
  private static let piece = Array(
    #"data: {"choices":[{"delta":{"content":"Yes."}}]}\#n\#n"#.utf8)
  private static let end = Array("data: [DONE]\n\n".utf8)

  private var now: Int64 = 0
  private var exchange = ChatExchange(nowNanoseconds: 0)

  private func actions() -> [ChatExchange.Action] { exchange.takeActions() }

  /// Lets time pass until something is to be done.
  private func wait() -> [ChatExchange.Action] {
    while exchange.deadlineNanoseconds < .max {
      now = max(now, exchange.deadlineNanoseconds)
      exchange.tick(nowNanoseconds: now)
      let actions = self.actions()
      if !actions.isEmpty { return actions }
    }
    return []
  }

  private func answer(_ attempt: Int, status: Int = 200, retryAfter: String? = nil) {
    exchange.sent(attempt, nowNanoseconds: now)
    exchange.take(
      head: ChatReader(status: status, type: "text/event-stream", retryAfter: retryAfter), attempt,
      nowNanoseconds: now)
  }

  @Test func `an answer is handed on as it comes`() {
    #expect(actions() == [.connect(attempt: 1)])
    answer(1)
    exchange.take(Self.piece, 1, nowNanoseconds: now)
    #expect(actions() == [.tell(.text("Yes."))])
    exchange.take(Self.end, 1, nowNanoseconds: now)
    #expect(actions() == [.tell(.end([])), .close])
    #expect(exchange.isOver && exchange.deadlineNanoseconds == .max)
  }

  @Test func `a server that is not there is tried three times, each later`() {
    var gaps: [Int64] = []
    for attempt in 1...3 {
      #expect(actions().last == .connect(attempt: attempt) || attempt > 1)
      let before = now
      exchange.ended(attempt, with: .unreachable("refused"), nowNanoseconds: now)
      guard attempt < 3 else { break }
      #expect(actions() == [.close])
      #expect(wait() == [.connect(attempt: attempt + 1)])
      gaps.append(now - before)
    }
    #expect(actions() == [.close, .fail(.unreachable("refused"))])
    #expect(gaps == [Self.second / 2, Self.second])
  }

  @Test func `a server that is silent is given up, by what it kept silent about`() {
    #expect(actions() == [.connect(attempt: 1)])
    #expect(wait() == [.close])
    #expect(now == 5 * Self.second)
    #expect(wait() == [.connect(attempt: 2)])
    answer(2)
    let asked = now
    #expect(wait() == [.close])
    #expect(now - asked == 30 * Self.second)
    #expect(wait() == [.connect(attempt: 3)])
    answer(3)
    exchange.take(Self.piece, 3, nowNanoseconds: now)
    #expect(actions() == [.tell(.text("Yes."))])
    let told = now
    #expect(wait() == [.close, .fail(.late(.rest))])
    #expect(now - told == 10 * Self.second)
  }

  @Test func `an answer that trickles ends with the time of all`() {
    _ = actions()
    answer(1)
    for _ in 0..<100 where !exchange.isOver {
      now += 9 * Self.second
      exchange.tick(nowNanoseconds: now)
      exchange.take(Self.piece, 1, nowNanoseconds: now)
    }
    #expect(actions().last == .fail(.late(.rest)))
    #expect(now <= 126 * Self.second)
  }

  @Test func `who is told to wait waits that long, and not for ever`() {
    _ = actions()
    answer(1, status: 429, retryAfter: "4")
    exchange.ended(1, with: nil, nowNanoseconds: now)
    #expect(actions() == [.close])
    #expect(wait() == [.connect(attempt: 2)])
    #expect(now == 4 * Self.second)
    answer(2, status: 429, retryAfter: "3600")
    exchange.ended(2, with: nil, nowNanoseconds: now)
    #expect(actions() == [.close, .fail(.busy(afterSeconds: 3600))])
  }

  @Test(arguments: [400, 401, 404, 422])
  func `a refusal is not asked for again`(status: Int) {
    _ = actions()
    answer(1, status: status)
    exchange.ended(1, with: nil, nowNanoseconds: now)
    #expect(actions() == [.close, .fail(.refused(status: status, ""))])
  }

  @Test func `what was handed on is not said twice`() {
    _ = actions()
    answer(1)
    exchange.take(Self.piece, 1, nowNanoseconds: now)
    exchange.ended(1, with: .cut, nowNanoseconds: now)
    #expect(actions() == [.tell(.text("Yes.")), .close, .fail(.cut)])
    #expect(wait().isEmpty)
  }

  @Test func `an attempt that was given up says nothing any more`() {
    _ = actions()
    exchange.ended(1, with: .cut, nowNanoseconds: now)
    _ = actions()
    exchange.take(Self.piece, 1, nowNanoseconds: now)
    exchange.ended(1, with: .cut, nowNanoseconds: now)
    #expect(actions().isEmpty)
    #expect(wait() == [.connect(attempt: 2)])
    answer(1)
    exchange.take(Self.piece, 1, nowNanoseconds: now)
    #expect(actions().isEmpty)
  }

  @Test func `who wants no more is rid of it at once`() {
    _ = actions()
    answer(1)
    exchange.cancel()
    #expect(actions() == [.close])
    exchange.take(Self.piece, 1, nowNanoseconds: now)
    #expect(actions().isEmpty && exchange.isOver)
  }
}
