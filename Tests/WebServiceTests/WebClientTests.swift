import TestWeb
import Testing

@testable import WebService

/// The client against a server that does all that a server may do.
@Suite(.timeLimit(.minutes(5))) struct WebClientTests {
  private static func ask(
    _ script: FakeService.Script, _ change: (inout WebRequest) -> Void = { _ in }
  ) async throws -> (outcome: Result<WebAnswer, WebFault>, requests: [String]) {
    let service = try await FakeService([script])
    let place = try WebPlace("http://127.0.0.1:\(service.port)/api")
    var request = WebRequest(.put, place, "/x?a=b")
    change(&request)
    let client = WebClient()
    let outcome: Result<WebAnswer, WebFault>
    do throws(WebFault) {
      outcome = .success(try await client.ask(request))
    } catch {
      outcome = .failure(error)
    }
    await client.stop()
    let requests = service.requests
    try await service.stop()
    return (outcome, requests)
  }

  @Test func `a request goes out whole, and its answer comes whole, whatever it is`() async throws {
    let (outcome, requests) = try await Self.ask(.response("418 Teapot", "short and stout")) {
      $0.headers = [("Content-Type", "audio/ogg"), ("X-One", "1")]
      $0.content = Array("OggS".utf8)
    }
    #expect(outcome == .success(WebAnswer(status: 418, content: Array("short and stout".utf8))))
    let request = try #require(requests.first)
    #expect(request.hasPrefix("PUT /api/x?a=b HTTP/1.1\r\n"))
    #expect(request.contains("Content-Type: audio/ogg\r\n") && request.contains("X-One: 1\r\n"))
    #expect(request.contains("Content-Length: 4\r\n") && request.hasSuffix("\r\n\r\nOggS"))
  }

  @Test func `an answer that is too long ends, and nothing of it is kept`() async throws {
    let long = String(repeating: "x", count: 5000)
    let (outcome, _) = try await Self.ask(.response("200 OK", long)) { $0.answerBytes = 4999 }
    #expect(outcome == .failure(.tooLong))
  }

  @Test func `a server that says nothing is left after the time that it has`() async throws {
    let (outcome, _) = try await Self.ask(FakeService.Script(parts: [], closes: false)) {
      $0.seconds = 1
    }
    #expect(outcome == .failure(.late))
  }

  @Test(arguments: ["", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"])
  func `a server that closes the connection in the middle is told`(text: String) async throws {
    let (outcome, _) = try await Self.ask(FakeService.Script(parts: [(0, text)]))
    #expect(outcome == .failure(.cut))
  }

  @Test func `what is not HTTP is told`() async throws {
    let (outcome, _) = try await Self.ask(FakeService.Script(parts: [(0, "SSH-2.0\r\n\r\n")]))
    #expect(outcome == .failure(.malformed))
  }

  @Test func `nothing where a server should be is told`() async throws {
    let client = WebClient()
    let request = WebRequest(.get, try WebPlace("http://127.0.0.1:1"), "/")
    await #expect { try await client.ask(request) } throws: {
      "\($0)" == "Connection refused"
    }
    await client.stop()
    await #expect(throws: WebFault.unreachable("the node is exiting")) {
      try await client.ask(request)
    }
  }

  @Test func `a file that holds no certificates is told`() {
    #expect(throws: WebClient.TrustProblem.self) { try WebClient(authorities: "/dev/null/none") }
  }
}
