import TestKit
import Testing

@testable import Assistant

/// Answers as servers send them, whole, broken and hostile.
@Suite(.timeLimit(.minutes(5))) struct ChatReaderTests {
  private static func stream(_ status: Int = 200) -> ChatReader {
    ChatReader(status: status, type: "text/event-stream; charset=utf-8", retryAfter: nil)
  }

  private static func event(_ json: String) -> String { "data: \(json)\n\n" }

  private static func delta(_ text: String, index: Int = 0) -> String {
    event(#"{"choices":[{"index":\#(index),"delta":{"content":"\#(text)"}}]}"#)
  }

  /// All pieces of a text that comes in parts of a length.
  private static func pieces(
    of text: String, inPartsOf count: Int = .max, by reader: ChatReader = stream()
  ) throws(ChatFault) -> [ChatPiece] {
    var (reader, pieces) = (reader, [ChatPiece]())
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      pieces += try reader.take(rest.prefix(count))
      rest = rest.dropFirst(count)
    }
    return pieces + (try reader.finish())
  }

  private static func text(_ pieces: [ChatPiece]) -> String {
    pieces.reduce("") { if case .text(let text) = $1 { $0 + text } else { $0 } }
  }

  @Test(arguments: ["\n", "\r\n", "\r"], [1, 2, 7, 4096])
  func `a stream is understood however it is cut and its lines end`(
    end: String, count: Int
  ) throws {
    let stream =
      ": a comment\n\n" + Self.delta("Grüße, ") + "event: x\nid: 3\n" + Self.delta("Welt")
      + Self.event("[DONE]")
    let pieces = try Self.pieces(of: stream.replacing("\n", with: end), inPartsOf: count)
    #expect(Self.text(pieces) == "Grüße, Welt")
    #expect(pieces.last == .end([]))
  }

  @Test func `an object in place of a stream is an answer, too`() throws {
    let reader = ChatReader(status: 200, type: "application/json", retryAfter: nil)
    let json = #"{"choices":[{"message":{"role":"assistant","content":"Four."}}]}"#
    #expect(try Self.pieces(of: json, by: reader) == [.text("Four."), .end([])])
  }

  @Test func `the pieces of a tool's call are put together`() throws {
    let parts = [
      #"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"send_text","arguments":""}}]}}]}"#,
      #"{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"to\":"}}]}}]}"#,
      #"{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"\"Anna\"}"}}]}}]}"#,
      #"{"choices":[{"delta":{"tool_calls":[{"index":1,"id":"b","function":{"name":"doctor"}}]}}]}"#,
      #"{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}"#, "[DONE]",
    ]
    let pieces = try Self.pieces(of: parts.map(Self.event).joined())
    #expect(
      pieces == [
        .end([
          ToolCall(id: "a", name: "send_text", arguments: #"{"to":"Anna"}"#),
          ToolCall(id: "b", name: "doctor", arguments: ""),
        ])
      ])
  }

  @Test func `a stream that gives a reason of its end needs no mark of it`() throws {
    let stream =
      Self.delta("Yes.") + Self.event(#"{"choices":[{"delta":{},"finish_reason":"stop"}]}"#)
      + Self.event(#"{"choices":[],"usage":{"total_tokens":9}}"#)
    #expect(try Self.pieces(of: stream) == [.text("Yes."), .end([])])
  }

  @Test func `a stream that breaks off is no answer`() {
    #expect(throws: ChatFault.cut) { try Self.pieces(of: Self.delta("The answ")) }
    #expect(throws: ChatFault.cut) { try Self.pieces(of: "") }
  }

  @Test(arguments: [
    "data: {\n\n", "data: 3\n\n", "data: {}\n\n", "data: {\"choices\":4}\n\n",
    "data: {\"choices\":[{\"delta\":{\"content\":7}}]}\n\n", "data: \u{7}\n\n",
  ])
  func `what is no answer is told so`(stream: String) {
    #expect { try Self.pieces(of: stream) } throws: {
      if case ChatFault.malformed = $0 { true } else { false }
    }
  }

  @Test(arguments: [
    (401, ChatFault.refused(status: 401, "no key")), (404, .refused(status: 404, "no key")),
    (302, .refused(status: 302, "no key")), (429, .busy(afterSeconds: 7)),
    (500, .failing(status: 500, "no key")), (503, .failing(status: 503, "no key")),
  ])
  func `a refusal has the server's words`(status: Int, fault: ChatFault) {
    let reader = ChatReader(status: status, type: "application/json", retryAfter: "7")
    #expect(throws: fault) {
      try Self.pieces(of: #"{"error":{"message":"no\n key","code":null}}"#, by: reader)
    }
  }

  @Test func `an error in the middle of a stream ends it with its words`() {
    let stream = Self.delta("Well") + Self.event(#"{"error":{"message":"out of memory"}}"#)
    #expect(throws: ChatFault.failing(status: 200, "out of memory")) {
      try Self.pieces(of: stream)
    }
  }

  @Test func `nothing makes it hold more than an answer may have`() {
    func isTooLong(_ text: String, parts: Int = 4096) -> Bool {
      do throws(ChatFault) {
        _ = try Self.pieces(of: text, inPartsOf: parts)
        return false
      } catch {
        if case .tooLong = error { return true }
        return false
      }
    }
    #expect(isTooLong(String(repeating: "x", count: ChatLimits.lineBytes + 1)))
    let piece = Self.delta(String(repeating: "y", count: 1000))
    #expect(isTooLong(String(repeating: piece, count: 40)))
    #expect(isTooLong(String(repeating: ": z\n", count: 300_000), parts: 65_536))
    #expect(isTooLong("data: a\n" + String(repeating: "data: aaaaaaa\n", count: 10_000)))
    let many = (0..<20).map {
      Self.event(#"{"choices":[{"delta":{"tool_calls":[{"index":\#($0),"id":"a"}]}}]}"#)
    }
    #expect(isTooLong(many.joined()))
    #expect(
      isTooLong(
        Self.event(
          #"{"choices":[{"delta":{"tool_calls":[{"index":-9,"id":"a"}]}}]}"#)))
  }

  @Test func `a refusal of any length is bounded`() throws {
    var reader = ChatReader(status: 500, type: nil, retryAfter: nil)
    for _ in 0..<100 { _ = try reader.take(Array(repeating: UInt8(ascii: "w"), count: 10_000)) }
    #expect { try reader.finish() } throws: {
      guard case ChatFault.failing(_, let words) = $0 else { return false }
      return words.count <= ChatLimits.shownLetters
    }
  }

  @Test(arguments: Seeds.many(4)) func `no octets make it trap`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let good = Array(
      (Self.delta("Hello. ") + Self.delta("a\\\"b") + Self.event("[DONE]")).utf8)
    for _ in 0..<2000 {
      var octets = good
      for _ in 0..<Int.random(in: 1...8, using: &random) {
        let place = Int.random(in: 0..<octets.count, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: octets[place] = UInt8.random(in: 0...255, using: &random)
        case 1: octets.remove(at: place)
        default: octets.insert(contentsOf: octets[place...].prefix(9), at: place)
        }
      }
      var reader = Self.stream()
      var isRefused = false
      do throws(ChatFault) {
        var text = Self.text(try reader.take(octets))
        text += Self.text(try reader.finish())
        #expect(text.utf8.count <= 64)
      } catch {
        isRefused = true
        #expect(!error.description.isEmpty)
      }
      #expect(isRefused || reader.hasEnded)
    }
  }
}
