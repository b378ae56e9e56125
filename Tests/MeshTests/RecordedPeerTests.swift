import Foundation
import Mesh
import Testing

/// Peers of other versions: those of major version 1, some of them recorded, which are told so in words; what this one
/// writes; and one of a minor version to come.
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

  @Test(arguments: [
    ("1.0", 1), ("1.2", 3), ("1.1-session", 2), ("1.1-invites", 1), ("1.1-accepts", 1),
    ("1.1-declines", 1),
  ])
  func `a peer of major version 1 is refused with words that name both versions`(
    name: String, hellos: Int
  ) throws {
    var refused: [MeshError] = []
    for bytes in try recording(name) where bytes.first == 1 {
      #expect(throws: MeshError.self) { try Message(parsing: bytes) }
      do throws(MeshError) { _ = try Message(parsing: bytes) } catch { refused.append(error) }
    }
    let minor = try #require(UInt64(name.dropFirst(2).prefix(1)))
    #expect(refused == Array(repeating: .version(major: 1, minor: minor), count: hellos))
    let words = try #require(refused.first).description
    #expect(words.contains("1.\(minor)") && words.contains("\(MessageVersion.current)"))
    #expect(words.contains("update the older"))
  }

  @Test(arguments: ["1.0", "1.1", "1.2", "1.3", "1.1-session", "1.1-declines"])
  func `the words with which a peer of major version 1 goes are still understood`(
    name: String
  ) throws {
    for bytes in try recording(name) {
      switch bytes.first {
      case 1: continue
      case 7:
        // A key of a stream whose SSRC nobody told.
        #expect(throws: MeshError.malformed(type: 7, tag: 34)) { try Message(parsing: bytes) }
      default:
        let message = try Message(parsing: bytes)
        if case .unknown = message { Issue.record("\(message)") }
        #expect(Array(message.frame().dropFirst(4)) == bytes)
      }
    }
  }

  /// What ``MessageVersion/current`` began with, and may only add to.
  private static var present: [Message] {
    let other = nodeID((32..<64).map { UInt8($0) })
    let profile = NodeProfile(
      name: "Bühne", role: "monitor", colourRGB: 0xFF8800, softwareVersion: "0.4.0",
      controlAddresses: [NodeAddress(.observed, port: 5005)],
      mediaAddresses: [NodeAddress(.ipv4(0xC0A8_0114), port: 5004)])
    func hello(
      _ instance: UInt64, _ profile: NodeProfile, attempt: UInt64 = 0, admits: Bool = false,
      relocates: Bool = false
    ) -> Message {
      .hello(
        Hello(
          version: MessageVersion(major: 2, minor: 0), node: recorded, instance: instance,
          profile: profile, attempt: attempt, admits: admits, relocates: relocates))
    }
    var echo = NodeProfile(name: "echo")
    echo.loopBack = other
    var recorder = NodeProfile(name: "A")
    recorder.isRecording = true
    return [
      hello(300, profile, attempt: 5, admits: true),
      .heartbeat(
        Heartbeat(
          memberCount: 2,
          members: [
            NodeRecord(
              node: other, instance: 9,
              addresses: [NodeAddress(.ipv6(0x2001_0DB8_0000_0000, 1), port: 5005)])
          ])),
      .invite, .accept, .decline(Decline(words: "declined")),
      .goodbye(Goodbye(node: recorded, instance: 300, words: "")),
      .mediaKey(
        MediaKey(
          stream: 2, source: 3, audience: StreamAudience(octets: Array("abc".utf8)),
          ssrc: 0x1122_3344, epoch: 7, octets: Array(0xA0...0xAF))),
      .streamEnd(StreamEnd(stream: 5)),
      .challenge(Challenge(nonce: Array(0..<32))),
      .groupProof(
        GroupProof(codes: [
          Array(repeating: 0xA1, count: 32), Array(repeating: 0xB2, count: 32),
        ])),
      hello(5, echo), hello(300, recorder, admits: true),
      hello(5, NodeProfile(name: "A"), attempt: 7, admits: true, relocates: true),
      .heartbeat(Heartbeat(memberCount: 2, asks: true)),
    ]
  }

  @Test func `what a peer of 2.0 sends is understood, and still written the same`() throws {
    let recording = try recording("2.0")
    #expect(try recording.map { try Message(parsing: $0) } == Self.present)
    #expect(Self.present.map { Array($0.frame().dropFirst(4)) } == recording)
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
    let messages = try recording("2.9").map { try Message(parsing: $0) }
    guard case .hello(let hello) = messages.first else {
      Issue.record("no hello")
      return
    }
    #expect(hello.version == MessageVersion(major: 2, minor: 9))
    #expect(hello.node == Self.recorded && hello.profile.name == "new")
    #expect(hello.profile.controlAddresses == [NodeAddress(.observed, port: 5005)])
    #expect(messages[1] == .unknown(type: 20))
    #expect(messages[2] == .unknown(type: 1 << 61))
    #expect(messages[3] == .heartbeat(Heartbeat(memberCount: 1)))
    #expect(messages[4] == .invite)
  }

  @Test(arguments: ["2.0", "2.9"])
  func `a recorded peer becomes a member, and leaves with its goodbye`(version: String) throws {
    let bench = Bench()
    let opened = bench.open(Self.recorded)
    bench.give(.accepted(opened))
    for bytes in try recording(version) {
      let message = try Message(parsing: bytes)
      switch message {
      case .decline, .goodbye: continue
      default: break
      }
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
