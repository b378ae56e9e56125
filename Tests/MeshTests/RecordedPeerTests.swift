import Foundation
import Mesh
import Testing

/// Peers of other minor versions: older ones, of which 1.1 is recorded, and one to come.
///
/// Where the messages come from is told in `Recorded/README.md`.
@Suite struct RecordedPeerTests {
  /// The messages of a recording: one a line, hexadecimal without the prefix, `#` starts a comment.
  private func recording(_ name: String) throws -> [[UInt8]] {
    let file = Bundle.module.bundleURL.appendingPathComponent("Recorded/\(name).hex")
    return try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
      .filter { !$0.hasPrefix("#") }.map { octets(String($0)) }
  }

  private static let recorded = nodeID((0..<32).map { UInt8($0) })

  @Test func `a recorded 1.0 peer is understood`() throws {
    let messages = try recording("1.0").map { try Message(parsing: $0) }
    let profile = NodeProfile(
      name: "Bühne", role: "monitor", colourRGB: 0xFF8800, softwareVersion: "0.4.0",
      controlAddresses: [NodeAddress(.observed, port: 5005)],
      mediaAddresses: [NodeAddress(.ipv4(0xC0A8_0114), port: 5004)])
    let other = nodeID((32..<64).map { UInt8($0) })
    #expect(
      messages == [
        .hello(
          Hello(
            version: MessageVersion(major: 1, minor: 0), node: Self.recorded, instance: 300,
            profile: profile, attempt: 5, admits: true)),
        .heartbeat(
          Heartbeat(
            memberCount: 2,
            members: [
              Heartbeat.Notice(
                node: other, instance: 9,
                addresses: [NodeAddress(.ipv6(0x2001_0DB8_0000_0000, 1), port: 5005)])
            ])),
        .invite, .accept, .decline(Decline(words: "declined")),
        .goodbye(Goodbye(node: Self.recorded, instance: 300, words: "")),
        .mediaKey(MediaKey(stream: 1, epoch: 7, octets: Array(0xA0...0xAF))),
      ])
  }

  @Test func `what a 1.0 peer understands is still written the same`() throws {
    for bytes in try recording("1.0") {
      let message = try Message(parsing: bytes)
      #expect(Array(message.frame().dropFirst(4)) == bytes)
    }
  }

  @Test func `what a recorded 1.1 peer adds is understood, and still written the same`() throws {
    let recording = try recording("1.1")
    #expect(
      try recording.map { try Message(parsing: $0) } == [
        .challenge(Challenge(nonce: Array(0..<32))),
        .groupProof(
          GroupProof(codes: [
            Array(repeating: 0xA1, count: 32), Array(repeating: 0xB2, count: 32),
          ])),
      ])
    for bytes in recording {
      #expect(Array(try Message(parsing: bytes).frame().dropFirst(4)) == bytes)
    }
  }

  @Test func `what a recorded 1.2 peer adds is understood, and still written the same`() throws {
    func hello(
      _ instance: UInt64, _ profile: NodeProfile, attempt: UInt64 = 0, admits: Bool = false,
      relocates: Bool = false
    ) -> Message {
      .hello(
        Hello(
          version: MessageVersion(major: 1, minor: 2), node: Self.recorded, instance: instance,
          profile: profile, attempt: attempt, admits: admits, relocates: relocates))
    }
    var echo = NodeProfile(name: "echo")
    echo.loopBack = nodeID((32..<64).map { UInt8($0) })
    var recorder = NodeProfile(name: "A")
    recorder.isRecording = true
    let messages = [
      hello(5, echo), hello(300, recorder, admits: true),
      hello(5, NodeProfile(name: "A"), attempt: 7, admits: true, relocates: true),
    ]
    let recording = try recording("1.2")
    #expect(try recording.map { try Message(parsing: $0) } == messages)
    #expect(messages.map { Array($0.frame().dropFirst(4)) } == recording)
  }

  @Test func `what a recorded 1.3 peer adds is understood, and still written the same`() throws {
    let recording = try recording("1.3")
    let messages = [Message.heartbeat(Heartbeat(memberCount: 2, asks: true))]
    #expect(try recording.map { try Message(parsing: $0) } == messages)
    #expect(messages.map { Array($0.frame().dropFirst(4)) } == recording)
  }

  @Test func `members are told of a recording, and whoever is about to become one`() throws {
    let bench = Bench()
    let member = bench.accept(Bench.lower)
    let newcomer = bench.open(Bench.higher)
    bench.give(.accepted(newcomer))
    _ = bench.taken()
    for isRecording in [true, false] {
      bench.give(.recording(isRecording))
      let actions = bench.taken()
      for connection in [member, newcomer.connection] {
        let told = actions.sent(on: connection).compactMap { message -> Bool? in
          if case .hello(let hello) = message { hello.profile.isRecording } else { nil }
        }
        #expect(told == [isRecording])
      }
    }
  }

  @Test func `a peer of minor version 9 is understood but for what is new`() throws {
    let messages = try recording("1.9").map { try Message(parsing: $0) }
    guard case .hello(let hello) = messages.first else {
      Issue.record("no hello")
      return
    }
    #expect(hello.version == MessageVersion(major: 1, minor: 9))
    #expect(hello.node == Self.recorded && hello.profile.name == "new")
    #expect(hello.profile.controlAddresses == [NodeAddress(.observed, port: 5005)])
    #expect(messages[1] == .unknown(type: 20))
    #expect(messages[2] == .unknown(type: 1 << 61))
    #expect(messages[3] == .heartbeat(Heartbeat(memberCount: 1)))
    #expect(messages[4] == .invite)
  }

  @Test(arguments: ["1.1-session", "1.1-invites", "1.1-accepts", "1.1-declines"])
  func `what a peer of 1.1 really said is still written the same`(name: String) throws {
    for bytes in try recording(name) {
      let message = try Message(parsing: bytes)
      if case .unknown = message { Issue.record("\(message)") }
      #expect(Array(message.frame().dropFirst(4)) == bytes)
    }
  }

  /// Plays a recorded session to a node that asks its peer, or is in a group with it.
  private func play(
    _ name: String, provesGroup: Bool
  ) throws -> (peer: Hello, connection: ConnectionID, actions: [MeshAction]) {
    let messages = try recording(name).map { try Message(parsing: $0) }
    guard case .hello(let hello) = messages.first else { throw MeshError.truncated }
    let bench = Bench()
    if !provesGroup { bench.give(.invite(hello.node)) }
    let opened = bench.open(hello.node, group: provesGroup)
    bench.give(.accepted(opened))
    for message in messages { bench.give(.received(message, opened.connection)) }
    return (hello, opened.connection, bench.taken())
  }

  @Test(arguments: ["1.1-session", "1.1-invites", "1.1-accepts"])
  func `a recorded session of 1.1 has a member with its name and keys, and ends with its goodbye`(
    name: String
  ) throws {
    let (peer, _, actions) = try play(name, provesGroup: name == "1.1-session")
    #expect(peer.version == MessageVersion(major: 1, minor: 1))
    #expect(actions.admitted == [peer.node] && actions.departed == [.goodbye])
    let keys = actions.compactMap { action -> UInt64? in
      if case .mediaKey(peer.node, let key) = action { key.epoch } else { nil }
    }
    #expect(keys == (name == "1.1-session" ? [0, 1] : [0]))
    let names = actions.compactMap { action -> String? in
      switch action {
      case .admitted(let member), .changed(let member): member.profile.name
      default: nil
      }
    }
    #expect(names == (name == "1.1-session" ? ["Bühne", "Bühne links"] : ["Bühne"]))
  }

  @Test func `a recorded peer of 1.1 that declines is no member, and is told as it says`() throws {
    let (peer, connection, actions) = try play("1.1-declines", provesGroup: false)
    #expect(actions.admitted.isEmpty)
    #expect(actions.contains(.declined(peer.node, words: "declined")))
    #expect(actions.closed(connection) == .notAdmitted)
  }

  @Test(arguments: ["1.0", "1.9"])
  func `a recorded peer becomes a member, and leaves with its goodbye`(version: String) throws {
    let bench = Bench()
    let opened = bench.open(Self.recorded)
    bench.give(.accepted(opened))
    for bytes in try recording(version).dropLast(2) {
      let message = try Message(parsing: bytes)
      if case .decline = message { continue }
      bench.give(.received(message, opened.connection))
    }
    let actions = bench.taken()
    #expect(actions.admitted == [Self.recorded])
    #expect(actions.closed(opened.connection) == nil)
    bench.give(
      .received(.goodbye(Goodbye(node: Self.recorded, instance: 300)), opened.connection))
    #expect(bench.taken().departed == [.goodbye])
  }
}
