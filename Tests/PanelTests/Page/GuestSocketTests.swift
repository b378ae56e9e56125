import NIOCore
import Remote
import Synchronization
import Testing

@testable import Panel

/// A browser that talks and hears by itself: its two connections, with good and with hostile ends.
@Suite(.timeLimit(.minutes(1))) struct GuestSocketTests {
  private static let hello = #"{"guest":"0123456789abcdef","hears":"opus"}"#
  private static let frame = [UInt8](repeating: 1, count: 40)
  /// As a browser says whose page is closed or loaded anew (RFC 6455 §7.4.1).
  private static let away: [UInt8] = [3, 233]

  private func wait(_ condition: () -> Bool) async throws {
    while !condition() { try await Task.sleep(for: .milliseconds(2)) }
  }

  /// A guest's connection that has been answered.
  private func enter(_ rig: PageRig, _ cookie: String) async throws -> PageVisitor {
    let visitor = try await rig.open(cookie: cookie, at: "/voice")
    visitor.say(Self.hello)
    #expect(try await visitor.message() == #"{"ok":true}"#)
    return visitor
  }

  @Test func `two connections are one guest, whose frames come and go by both`() async throws {
    try await PageRig.run { rig in
      let cookie = try await rig.signIn(.talk, name: "Anna")
      let (one, other) = (try await enter(rig, cookie), try await enter(rig, cookie))
      let place = try #require(rig.guests.places.first)
      #expect(rig.guests.places.count == 1)
      #expect(place.application.name == "Anna" && place.application.hears == .opus)
      one.frame(0x82, Self.frame)
      other.frame(0x82, Self.frame)
      try await wait { place.frames.count == 2 }
      #expect(place.frames.allSatisfy { $0 == Self.frame })
      place.deliver([7, 8, 9])
      for visitor in [one, other] {
        #expect(try await visitor.frame() == PageVisitor.Frame(opcode: 2, payload: [7, 8, 9]))
      }
    }
  }

  @Test func `what a guest's keys are counts in the order in which it was said, once`() async throws
  {
    try await PageRig.run { rig in
      let cookie = try await rig.signIn(.talk)
      let (one, other) = (try await enter(rig, cookie), try await enter(rig, cookie))
      let place = try #require(rig.guests.places.first)
      one.say(#"{"keys":["all"],"number":1}"#)
      one.say(#"{"keys":["all","lights"],"number":2}"#)
      try await wait { place.keys.last == ["all", "lights"] }
      other.say(#"{"keys":["all"],"number":1}"#)
      other.say(#"{"keys":["all","lights"],"number":2}"#)
      other.say(#"{"keys":[],"number":3}"#)
      try await wait { place.keys.last == [] }
      #expect(place.keys == [[], ["all"], ["all", "lights"], []])
    }
  }

  @Test func `without any connection a guest's keys are up at once, and it goes after a while`()
    async throws
  {
    var limits = PageLimits()
    limits.guests.absence = .milliseconds(200)
    try await PageRig.run(limits: limits) { rig in
      let cookie = try await rig.signIn(.talk)
      let (one, other) = (try await enter(rig, cookie), try await enter(rig, cookie))
      let place = try #require(rig.guests.places.first)
      one.say(#"{"keys":["all"],"number":1}"#)
      try await wait { place.keys.last == ["all"] }
      one.frame(0x88, Self.away)
      try await one.closing()
      #expect(place.keys.last == ["all"])
      // It comes back in time, and is the same.
      other.frame(0x88, Self.away)
      try await wait { place.keys.last == [] }
      let again = try await enter(rig, cookie)
      #expect(rig.guests.places.count == 1 && !place.hasLeft)
      again.frame(0x88, Self.away)
      try await wait { place.hasLeft }
    }
  }

  @Test(arguments: [[], [3, 232]] as [[UInt8]])
  func `who says goodbye goes at once`(words: [UInt8]) async throws {
    var limits = PageLimits()
    limits.guests.absence = .seconds(3600)
    try await PageRig.run(limits: limits) { rig in
      let cookie = try await rig.signIn(.talk)
      let (one, other) = (try await enter(rig, cookie), try await enter(rig, cookie))
      let place = try #require(rig.guests.places.first)
      #expect(place.application.page == "0123456789abcdef")
      one.frame(0x88, words)
      try await one.closing()
      #expect(!place.hasLeft)
      other.frame(0x88, words)
      try await wait { place.hasLeft }
      _ = try await enter(rig, cookie)
      #expect(rig.guests.places.count == 2)
    }
  }

  @Test func `who may only listen is no guest, and nobody is another's`() async throws {
    try await PageRig.run { rig in
      let listener = try await rig.signIn(.listen, name: "Ben")
      let answer = try await rig.answer(
        "GET", "/voice", origin: "https://\(rig.host)", cookie: listener, more: PageRig.upgrade)
      #expect(answer.status == 403 && answer.body.contains("may only listen"))
      for origin in [nil, "https://evil.example"] {
        let talker = try await rig.signIn(.talk)
        let answer = try await rig.answer(
          "GET", "/voice", origin: origin, cookie: talker, more: PageRig.upgrade)
        #expect(answer.status == 403)
      }
      _ = try await enter(rig, try await rig.signIn(.talk, name: "Anna"))
      let thief = try await rig.open(cookie: try await rig.signIn(.talk, name: "Eve"), at: "/voice")
      thief.say(Self.hello)
      #expect(try await thief.closeCode() == 1008)
      #expect(rig.guests.places.count == 1)
    }
  }

  @Test func `a guest that finds no place is told why`() async throws {
    try await PageRig.run { rig in
      rig.guests.refusal.withLock { $0 = "no room" }
      let visitor = try await rig.open(cookie: try await rig.signIn(.talk), at: "/voice")
      visitor.say(Self.hello)
      #expect(try await visitor.message() == #"{"error":"no room","ok":false}"#)
      try await visitor.closing()
    }
  }

  @Test func `who is signed out is a guest no more`() async throws {
    try await PageRig.run { rig in
      let visitor = try await enter(rig, try await rig.signIn(.talk, name: "Anna"))
      #expect(rig.access.revoke("Anna") == 1)
      #expect(try await visitor.closeCode() == 1008)
      let place = try #require(rig.guests.places.first)
      try await wait { place.hasLeft }
    }
  }

  @Test(arguments: [
    "", "{}", "[]", "{\"guest\":1}", "{\"guest\":\"zz23456789abcdef\"}", "{\"guest\":\"0123\"}",
    "{\"guest\":\"0123456789abcdef\",\"hears\":\"mp3\"}", "{\"keys\":[\"all\"]}", "nonsense",
  ])
  func `what is no greeting ends the connection`(text: String) async throws {
    try await PageRig.run { rig in
      let visitor = try await rig.open(cookie: try await rig.signIn(.talk), at: "/voice")
      visitor.frame(0x82, Self.frame)
      visitor.say(text)
      #expect(try await visitor.closeCode() == 1008)
      #expect(rig.guests.places.isEmpty)
    }
  }

  @Test func `floods and long messages end the connection`() async throws {
    try await PageRig.run { rig in
      let cookie = try await rig.signIn(.talk)
      let one = try await enter(rig, cookie)
      for _ in 0..<600 { one.frame(0x82, Self.frame) }
      #expect(try await one.closeCode() == 1008)
      let other = try await enter(rig, cookie)
      other.frame(0x82, [UInt8](repeating: 0, count: 5000))
      try await other.closing()
    }
  }

  @Test func `what a guest does not read is dropped, and others hear on`() async throws {
    try await PageRig.run { rig in
      let slow = try await enter(rig, try await rig.signIn(.talk, name: "Slow"))
      try await slow.channel.setOption(.autoRead, value: false).get()
      let place = try #require(rig.guests.places.first)
      let well = try await rig.open(cookie: try await rig.signIn(.talk, name: "Well"), at: "/voice")
      well.say(#"{"guest":"ffffffffffffffff","hears":"pcm"}"#)
      #expect(try await well.message() == #"{"ok":true}"#)
      let other = try #require(rig.guests.places.last)
      #expect(other.application.hears == .pcm)
      // Two minutes of samples.
      for _ in 0..<12_000 { place.deliver([UInt8](repeating: 5, count: 970)) }
      other.deliver([1])
      #expect(try await well.frame().payload == [1])
    }
  }
}
