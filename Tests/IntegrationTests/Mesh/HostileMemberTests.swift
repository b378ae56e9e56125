import Cryptography
import Foundation
import Mesh
import Remote
import StatusSchema
import Synchronization
import Testing

@testable import TestRig

extension RealNodeTests {
  /// A member that says anything at all of lines, keys and calls, and asks what it may not, of a real node.
  @Suite struct HostileMemberTests {
    private let directory: TemporaryDirectory
    private let a: NodeProcess
    private let member: RawMember
    private let node: NodeID
    private let answers = Answers()
    private let numbers = Numbers()

    /// What the node answers, by the number of the question.
    private final class Answers: Sendable {
      private let texts = Mutex<[UInt64: String]>([:])
      var count: Int { texts.withLock { $0.count } }
      func take(_ octets: [UInt8]) {
        guard octets.first == 2, octets.count > 9 else { return }
        let number = octets[1..<9].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        texts.withLock { $0[number, default: ""] += String(decoding: octets[9...], as: UTF8.self) }
      }
      subscript(number: UInt64) -> String { texts.withLock { $0[number] ?? "" } }
      func count(of words: String) -> Int {
        texts.withLock { $0.values.count { $0.contains(words) } }
      }
    }

    private final class Numbers: Sendable {
      private let last = Atomic<UInt64>(1000)
      var next: UInt64 { last.wrappingAdd(1, ordering: .relaxed).newValue }
    }

    init() throws {
      directory = try TemporaryDirectory(prefix: "comlink-test")
      let ports = try LoopbackPorts.free(2)
      var options = NodeProcess.Options(port: ports[0])
      options.arguments = ["--log-level", "debug"]
      a = try NodeProcess("A", onServerNamed: "none", options: options, in: directory)
      try a.waitUntilReady(within: 20)
      node = try #require(try a.status().node.id.flatMap { NodeID(text: $0) })
      member = try RawMember("Mallory", ssrc: 4711, mediaPort: ports[1], calling: ports[0])
      member.listen(on: .remote) { [answers] in answers.take($0.octets) }
      let a = a
      try waitUntil("Mallory to be a member", within: 20) { () throws(RigError) in
        try a.status().peers.contains { $0.name == "Mallory" }
      }
      try waitUntil("the lane to be there", within: 20, interval: 0.2) {
        () throws(RigError) in
        say([9], on: .lines, count: 1) == 1
      }
    }

    /// Says something so many times, one after the other; how often it was taken.
    private func say(_ octets: [UInt8], on channel: LaneChannel, count: Int) -> Int {
      let (taken, done) = (Counter(), Counter())
      for _ in 0..<count {
        let number = numbers.next
        Task { [member, node] in
          if await member.say(octets, on: channel, to: node, sequence: number) { taken.add() }
          done.add()
        }
      }
      try? waitUntil("receipts", within: 10) { done.value == count }
      return taken.value
    }

    private final class Counter: Sendable {
      private let count = Atomic<Int>(0)
      var value: Int { count.load(ordering: .relaxed) }
      func add() { count.wrappingAdd(1, ordering: .relaxed) }
    }

    private func question(_ number: UInt64, _ text: String) -> [UInt8] {
      [1] + (0..<8).map { UInt8(truncatingIfNeeded: number >> UInt64(56 - 8 * $0)) }
        + Array(text.utf8)
    }

    private func isTalking() throws -> Bool { try a.status().node.talk }

    /// Lines of the log of an event.
    private func told(_ event: String) -> [Substring] {
      a.process.output.split(separator: "\n").filter { $0.contains("event=\(event)") }
    }

    @Test func `who is no operator sets nothing, by whatever it says, and is told so in words`()
      throws
    {
      let requests = [
        #"{"request":"talk","on":false}"#, #"{"request":"mic-kill"}"#,
        #"{"request":"key-tap","key":"all"}"#, #"{"request":"line-list"}"#,
        #"{"request":"operator-allow","peer":"Mallory"}"#,
        #"{"request":"at","peer":"A","ask":{"request":"mic-kill"}}"#,
      ]
      for (index, request) in requests.enumerated() {
        #expect(say(question(UInt64(index + 1), request), on: .remote, count: 1) == 1)
        try waitUntil("an answer to \(request)", within: 5) { answers[UInt64(index + 1)] != "" }
        #expect(answers[UInt64(index + 1)].contains("refused there: it is no operator here"))
      }
      // What is no request, no question, or the answer to none.
      let rubbish: [[UInt8]] = [
        [1], [0, 1, 2], question(90, ""), question(91, "{"), question(92, #"{"request":"no"}"#),
        [2] + Array(question(93, #"{"ok":true}"#).dropFirst()),
        [7] + Array(question(94, "{}").dropFirst()),
        question(95, String(repeating: "[", count: 4000)),
      ]
      for octets in rubbish { _ = say(octets, on: .remote, count: 1) }
      try waitUntil("words for what makes no sense", within: 5) {
        (91...92).allSatisfy { answers[$0].contains("does not know the request") }
      }
      #expect(answers[93] == "" && answers[94] == "")
      #expect(try isTalking())
      #expect(try a.status().operators == nil)
      let events = told("operator-refused")
      #expect(!events.isEmpty && events.count <= 3, "counted, and not a line for each")
      #expect(events.allSatisfy { $0.contains("refused=") })
    }

    @Test func `an operator's request that comes again is carried out once, and of a flood 32`()
      throws
    {
      _ = try a.ask(.operators(.allow(peer: "Mallory", rights: ["keys"])))
      let tap = question(7, #"{"request":"key-tap","key":"all"}"#)
      #expect(try isTalking())
      for _ in 0..<3 { #expect(say(tap, on: .remote, count: 1) == 1) }
      try waitUntil("an answer to each", within: 5) {
        answers[7].components(separatedBy: "carried out once").count == 3
      }
      #expect(try !isTalking() && a.status().operators?.first?.acts == 1)
      // It may do no more than what it is allowed.
      _ = say(question(8, #"{"request":"mic-kill"}"#), on: .remote, count: 1)
      try waitUntil("a refusal", within: 5) { answers[8].contains("it lacks the right kill") }
      pause(seconds: 1.1)
      for number in 0..<48 {
        let text = #"{"request":"key-list"}"#
        let (octets, sequence) = (question(UInt64(100 + number), text), numbers.next)
        Task { [member, node] in
          _ = await member.say(octets, on: .remote, to: node, sequence: sequence)
        }
      }
      try waitUntil("an answer to each", within: 10) { answers.count >= 50 }
      #expect(answers.count(of: "more than 32 requests in a second") >= 16)
      #expect(try a.status().operators?.first?.acts == 1, "asking is no act")
    }

    @Test func `what breaks a rule of lines is counted and told, and changes nothing`() throws {
      let before = try a.status().lines?.map(\.name)
      let bad: [[UInt8]] = [
        [1], [2, 0], [4], [5, 255], [UInt8](repeating: 1, count: 25),
        [3] + [UInt8](repeating: 0xFF, count: 600), Array("GET / HTTP/1.1".utf8),
      ]
      for octets in bad { #expect(say(octets, on: .lines, count: 1) == 1) }
      _ = say([1], on: .lines, count: 200)
      let status = try a.status()
      #expect(status.lines?.map(\.name) == before && status.calls?.incoming.isEmpty != false)
      let events = told("lines-refused")
      #expect(events.count == 1, "once a minute")
      #expect(events.allSatisfy { $0.contains("refused=") })
      // And it is a member still: what it says right is taken.
      pause(seconds: 1.1)
      var record: [UInt8] = [1] + [UInt8](repeating: 0, count: 24)
      (record[8], record[16]) = (1, 1)
      record += [1, 1, 5] + Array("stage".utf8)
      #expect(say(record, on: .lines, count: 1) == 1)
      try waitUntil("its line to be seen", within: 5) { () throws(RigError) in
        try a.status().lines?.contains { $0.name == "stage" } == true
      }
    }
  }
}
