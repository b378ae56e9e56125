import Assistant
import TestWeb
import Testing
import WebService

@testable import Chat

/// The client against a server that does all that a server may do.
@Suite(.timeLimit(.minutes(1))) struct ChatClientTests {
  /// Short, as nothing here is slow by itself.
  private static var patience: ChatPatience {
    var patience = ChatPatience()
    (patience.answer, patience.rest) = (400_000_000, 400_000_000)
    (patience.pause, patience.all) = (20_000_000, 5_000_000_000)
    return patience
  }

  /// What comes of one question.
  private static func ask(
    _ scripts: [FakeService.Script], key: String? = nil, path: String = "/v1",
    patience: ChatPatience = patience
  ) async throws -> (events: [ChatClient.Event], requests: [String]) {
    let model = try await FakeService(scripts)
    let client = ChatClient(
      of: try WebPlace("http://127.0.0.1:\(model.port)\(path)"), model: "small", key: key,
      patience: patience)
    var events: [ChatClient.Event] = []
    for await event in client.ask(ChatQuery([ChatMessage(.user, "Who? \u{1F600}")])) {
      events.append(event)
    }
    await client.stop()
    let requests = model.requests
    try await model.stop()
    return (events, requests)
  }

  @Test func `an answer comes in its pieces, and the question has what it needs`() async throws {
    let (events, requests) = try await Self.ask([.answer("One. ", "Two.")], key: "secret")
    #expect(events == [.piece(.text("One. ")), .piece(.text("Two.")), .piece(.end([]))])
    let request = try #require(requests.first)
    #expect(request.hasPrefix("POST /v1/chat/completions HTTP/1.1\r\n"))
    #expect(request.contains("Authorization: Bearer secret\r\n"))
    #expect(request.contains(#""model":"small""#) && request.contains(#""stream":true"#))
    #expect(request.contains("Who? \u{1F600}"))
  }

  @Test func `a server that is overloaded is asked again`() async throws {
    let (events, requests) = try await Self.ask([
      .response("503 Busy", #"{"error":{"message":"loading the model"}}"#), .answer("Yes."),
    ])
    #expect(events == [.piece(.text("Yes.")), .piece(.end([]))])
    #expect(requests.count == 2)
  }

  @Test func `a server that stays so is told with its words`() async throws {
    let (events, requests) = try await Self.ask([
      .response("503 Busy", #"{"error":{"message":"loading the model"}}"#)
    ])
    #expect(events == [.fault(.failing(status: 503, "loading the model"))])
    #expect(requests.count == 3)
  }

  @Test func `a wrong key is told at once`() async throws {
    let (events, requests) = try await Self.ask([.response("401 No", "who are you?")])
    #expect(events == [.fault(.refused(status: 401, "who are you?"))])
    #expect(requests.count == 1)
  }

  @Test func `who sends us away is heeded, and not for ever`() async throws {
    let (events, _) = try await Self.ask([
      .response("429 Slow", "", more: "Retry-After: 3600\r\n")
    ])
    #expect(events == [.fault(.busy(afterSeconds: 3600))])
  }

  @Test func `nothing where a server should be is told after three attempts`() async throws {
    let client = ChatClient(
      of: try WebPlace("http://127.0.0.1:1/v1"), model: "", key: nil, patience: Self.patience)
    var events: [ChatClient.Event] = []
    for await event in client.ask(ChatQuery([])) { events.append(event) }
    await client.stop()
    guard case .fault(.unreachable(let words)) = events.first else {
      Issue.record("\(events)")
      return
    }
    #expect(words.lowercased().contains("refused"))
  }

  @Test func `a server that takes the question and says nothing is given up`() async throws {
    let (events, requests) = try await Self.ask([.init(parts: [], closes: false)])
    #expect(events == [.fault(.late(.answer))])
    #expect(requests.count == 3)
  }

  @Test func `an answer that stalls is given up, and what came of it stays`() async throws {
    let piece = #"{"choices":[{"delta":{"content":"Well"}}]}"#
    let (events, requests) = try await Self.ask([.stream([piece], closes: false)])
    #expect(events == [.piece(.text("Well")), .fault(.late(.rest))])
    #expect(requests.count == 1)
  }

  @Test func `an answer that is cut off is told`() async throws {
    let piece = #"{"choices":[{"delta":{"content":"Well"}}]}"#
    let (events, _) = try await Self.ask([.stream([piece])])
    #expect(events == [.piece(.text("Well")), .fault(.cut)])
  }

  @Test(arguments: [
    "SSH-2.0-OpenSSH_9.2\r\n", "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: nonsense\n\n",
    "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 6\r\n\r\n<html>",
  ])
  func `what is no such server is told`(text: String) async throws {
    let (events, requests) = try await Self.ask([.init(parts: [(Int64(0), text)])])
    guard case .fault(.malformed) = events.first else {
      Issue.record("\(events)")
      return
    }
    #expect(requests.count == 1)
  }

  @Test func `a flood is cut off`() async throws {
    let line = String(repeating: "x", count: 60_000)
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
    let parts = [(Int64(0), head)] + (0..<40).map { _ in (Int64(0), ": \(line)\n") }
    let (events, _) = try await Self.ask([.init(parts: parts)], patience: ChatPatience())
    #expect(events == [.fault(.tooLong("the whole answer"))])
  }

  @Test func `who stops listening closes the connection`() async throws {
    let piece = #"{"choices":[{"delta":{"content":"Well"}}]}"#
    let model = try await FakeService([.stream([piece], closes: false)])
    let client = ChatClient(
      of: try WebPlace("http://127.0.0.1:\(model.port)/v1"), model: "", key: nil)
    for await event in client.ask(ChatQuery([])) {
      #expect(event == .piece(.text("Well")))
      break
    }
    // It ends at once: a question under way would hold it up.
    await client.stop()
    try await model.stop()
  }

  @Test func `nothing is asked after the end`() async throws {
    let client = ChatClient(of: try WebPlace("http://127.0.0.1:1"), model: "", key: nil)
    await client.stop()
    var events: [ChatClient.Event] = []
    for await event in client.ask(ChatQuery([])) { events.append(event) }
    #expect(events == [.fault(.unreachable("the node is exiting"))])
  }
}

extension FakeService.Script {
  /// An HTTP response with a content of these events.
  static func stream(_ events: [String], closes: Bool = true, wait: Int64 = 0) -> Self {
    let head =
      "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
      + "Connection: close\r\n\r\n"
    return Self(
      parts: [(wait, head)] + events.map { (0, "data: \($0)\n\n") }, closes: closes)
  }

  /// An answer in pieces.
  static func answer(_ pieces: String...) -> Self {
    stream(
      pieces.map { #"{"choices":[{"index":0,"delta":{"content":"\#($0)"}}]}"# } + ["[DONE]"])
  }
}
