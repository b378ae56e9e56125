import Cryptography
import Store
import Testing

@testable import NodeDaemon

/// Two nodes, a PIN, and what becomes of them and their groups.
@Suite(.timeLimit(.minutes(1))) struct PairingTests {
  /// Groups of the side that shows the PIN, and which it names; groups of the side that types it;
  /// what both are in after it.
  struct Case: Sendable {
    var showing: [String] = []
    var named: String?
    var typing: [String] = []
    var afterShowing: [String] = []
    var afterTyping: [String] = []
  }

  static let cases = [
    Case(),
    Case(showing: ["crew"], afterShowing: ["crew"], afterTyping: ["crew"]),
    Case(typing: ["band"], afterShowing: ["band"], afterTyping: ["band"]),
    // It could be meant by neither.
    Case(typing: ["band", "foh"], afterTyping: ["band", "foh"]),
    // The group goes from the side with the PIN to the other, never both ways.
    Case(
      showing: ["crew"], typing: ["band"], afterShowing: ["crew"], afterTyping: ["band", "crew"]),
    Case(
      showing: ["crew", "foh"], named: "foh", afterShowing: ["crew", "foh"], afterTyping: ["foh"]),
  ]

  /// Runs a test with two nodes.
  private func withNodes(
    _ showing: [String] = [], _ typing: [String] = [],
    _ body: (PairingEnd, PairingEnd) async throws -> Void
  ) async throws {
    let (one, other) = (
      try await PairingEnd(groups: showing), try await PairingEnd(groups: typing)
    )
    do {
      try await body(one, other)
    } catch {
      Issue.record("\(error)")
    }
    await one.stop()
    await other.stop()
  }

  /// A PIN that another one is not.
  private static func wrong(_ pin: String) -> String { pin == "000000" ? "111111" : "000000" }

  private static func refusal(_ body: () async throws -> Void) async -> String {
    do {
      try await body()
      return "none"
    } catch {
      return "\(error)"
    }
  }

  @Test(arguments: cases)
  func `a pairing makes both trust each other, and hands one group over`(_ groups: Case)
    async throws
  {
    try await withNodes(groups.showing, groups.typing) { one, other in
      let pin = try await one.show(group: groups.named)
      try await other.pair(with: one, pin: pin)
      #expect(await one.trusted == [other.state.id])
      #expect(await other.trusted == [one.state.id])
      #expect(one.groups == groups.afterShowing && other.groups == groups.afterTyping)
      for name in Set(one.groups).intersection(other.groups) {
        let groups = [one, other].compactMap { $0.state.groups.first { $0.name == name } }
        #expect(groups[0].hasSameSecret(as: groups[1]))
      }
    }
  }

  @Test func `five wrong PINs use it up, for the right one too, and nobody is trusted`()
    async throws
  {
    try await withNodes(["crew"]) { one, other in
      let pin = try await one.show()
      for _ in 0..<5 {
        let words = await Self.refusal { try await other.pair(with: one, pin: Self.wrong(pin)) }
        #expect(words.contains("wrong PIN"))
      }
      let words = await Self.refusal { try await other.pair(with: one, pin: pin) }
      #expect(words.contains("five wrong tries"))
      #expect(await one.trusted.isEmpty)
      #expect(await other.trusted.isEmpty)
      #expect(other.groups.isEmpty)
      #expect(one.lines.all.allSatisfy { !$0.contains(pin) })
    }
  }

  @Test func `a PIN is good for two minutes, and for one pairing`() async throws {
    try await withNodes(["crew"]) { one, other in
      let old = try await one.show()
      one.pass(seconds: 121)
      let expired = await Self.refusal { try await other.pair(with: one, pin: old) }
      #expect(expired.contains("older than two minutes"))
      let pin = try await one.show()
      one.pass(seconds: 119)
      try await other.pair(with: one, pin: pin)
      let again = await Self.refusal { try await other.pair(with: one, pin: pin) }
      #expect(again.contains("a pairing already made"))
    }
  }

  @Test func `a second PIN takes the place of the first, with its group`() async throws {
    try await withNodes(["crew", "foh"]) { one, other in
      var first = try await one.show(group: "crew")
      var second = try await one.show(group: "foh")
      // One time in a million they are the same.
      while first == second {
        first = second
        second = try await one.show(group: "foh")
      }
      let words = await Self.refusal { try await other.pair(with: one, pin: first) }
      #expect(words.contains("wrong PIN"))
      try await other.pair(with: one, pin: second)
      #expect(other.groups == ["foh"])
    }
  }

  @Test func `what cannot be is refused with words`() async throws {
    try await withNodes(["crew", "foh"]) { one, other in
      let unnamed = await Self.refusal { _ = try await one.show() }
      #expect(unnamed.contains("several groups") && unnamed.contains("crew, foh"))
      let unknown = await Self.refusal { _ = try await one.show(group: "band") }
      #expect(unknown.contains("not in group \"band\""))
      let nothing = await Self.refusal { try await other.pair(with: one, pin: "123456") }
      #expect(nothing.contains("shows no PIN"))
      let ourselves = await Self.refusal { try await one.pair(with: one, pin: "123456") }
      #expect(ourselves.contains("this node itself"))
      let letters = await Self.refusal { try await other.pair(with: other, pin: "12345x") }
      #expect(letters != "none")
    }
  }

  @Test func `a group of that name with another secret is not taken, and told`() async throws {
    try await withNodes(["crew"], ["crew"]) { one, other in
      let pin = try await one.show()
      let words = await Self.refusal { try await other.pair(with: one, pin: pin) }
      #expect(words.contains("the other node's group cannot be joined"))
      #expect(await other.trusted.isEmpty)
    }
  }
}
