import Cryptography
import Mesh
import TestKit
import Testing

/// What is written is read again; what cannot be is refused, with words.
@Suite struct MessageTests {
  static let profile = NodeProfile(
    name: "Bühne links", role: "stage", colourRGB: 0x12_34_56, softwareVersion: "1.2.3",
    controlAddresses: [
      NodeAddress(.observed, port: 5005), NodeAddress(.ipv4(0x0A00_0001), port: 65_535),
      NodeAddress(.ipv6(0x2001_0DB8_0000_0000, 1), port: 1),
    ],
    mediaAddresses: [NodeAddress(.observed, port: 5004)])

  private static var loopingBack: NodeProfile {
    var profile = NodeProfile(name: "echo")
    profile.loopBack = Bench.higher
    return profile
  }

  private static var recordingProfile: NodeProfile {
    var profile = NodeProfile(name: "A")
    profile.isRecording = true
    return profile
  }

  private static var changedVoice: NodeProfile {
    var profile = NodeProfile(name: "A")
    profile.effect = "radio"
    profile.people = .both
    return profile
  }

  private static var colouredKey: MediaKey {
    var key = MediaKey(
      stream: 3, source: 35, sourceName: "Assistant", ssrc: 9, epoch: 1, octets: [7])
    key.sourceColourRGB = 0x36_A2_EB
    return key
  }

  static let all: [Message] = [
    .hello(
      Hello(
        node: Bench.lower, instance: 1 << 61, profile: profile, attempt: 300, admits: true)),
    .hello(Hello(node: Bench.own, instance: 0, profile: NodeProfile(name: ""))),
    .hello(Hello(node: Bench.own, instance: 7, profile: loopingBack)),
    .hello(Hello(node: Bench.own, instance: 1, profile: recordingProfile)),
    .hello(Hello(node: Bench.own, instance: 1, profile: changedVoice)),
    .hello(
      Hello(node: Bench.own, instance: 2, profile: NodeProfile(name: "B"), relocates: true)),
    .heartbeat(Heartbeat()), .heartbeat(Heartbeat(memberCount: 1, asks: true)),
    .heartbeat(
      Heartbeat(
        memberCount: 70,
        members: (0..<64).map {
          NodeRecord(
            node: Bench.id(1, UInt16($0)), instance: UInt64($0) << 20,
            addresses: [Bench.address(UInt32($0))])
        })),
    .invite, .accept, .decline(Decline(words: "no")),
    .decline(Decline(words: "twice", latestInstance: 1 << 40)), .twin(Twin(instance: 300)),
    .forgotten(ForgottenNodes(nodes: [])),
    .forgotten(
      ForgottenNodes(
        nodes: (0..<64).map { .init(node: Bench.id(2, UInt16($0)), instance: UInt64($0) << 30) })),
    .goodbye(Goodbye(node: Bench.higher, instance: 64, words: "updating")),
    .mediaKey(MediaKey(stream: 7, ssrc: 0, epoch: 16_384, octets: Array(0..<44))),
    .mediaKey(
      MediaKey(
        stream: 0, source: 63, sourceName: "Bühne", audience: StreamAudience(octets: Array(0..<32)),
        ssrc: .max, epoch: 0, octets: [])),
    .mediaKey(colouredKey),
    .streamEnd(StreamEnd(stream: 0)), .streamEnd(StreamEnd(stream: 7)),
    .challenge(Challenge(nonce: Array(0..<32))),
    .lane(.resume(LaneResume(own: 1 << 61, other: 0))),
    .lane(.chunk(LaneChunk(channel: 5, position: 1 << 40, octets: Array(0...255)))),
    .lane(.receipt(LaneReceipt(channel: 77, received: 20_000, taken: 64))),
    .lane(.refusal(words: "a chunk out of order")),
    .groupProof(GroupProof()),
    .groupProof(GroupProof(codes: (0..<64).map { Array(repeating: $0, count: 32) })),
  ]

  /// A message without its prefix.
  static func payload(_ message: Message) -> [UInt8] { Array(message.frame().dropFirst(4)) }

  @Test(arguments: all)
  func `a message comes back as it was written`(message: Message) throws {
    let frame = message.frame()
    #expect(frame.prefix(4).reduce(0) { $0 << 8 | Int($1) } == frame.count - 4)
    #expect(try Message(parsing: Self.payload(message)) == message)
  }

  @Test(arguments: all)
  func `a message that is cut short is refused, or ends with a whole field; none traps`(
    message: Message
  ) {
    let payload = Self.payload(message)
    for count in 0..<payload.count { _ = try? Message(parsing: Array(payload.prefix(count))) }
    #expect(throws: MeshError.truncated) { try Message(parsing: []) }
    if payload.count > 4 {
      #expect(throws: MeshError.truncated) { try Message(parsing: payload.dropLast()) }
    }
  }

  @Test func `what is too long to be read is not written`() throws {
    var profile = NodeProfile(name: String(repeating: "é", count: 100))
    profile.controlAddresses = (0..<20).map { Bench.address($0) }
    profile.mediaAddresses = [NodeAddress(.ipv6(0xFE80 << 48, 1), port: 1, scope: 2)]
    let hello = Hello(node: Bench.own, instance: .max, profile: profile)
    guard case .hello(let read) = try Message(parsing: Self.payload(.hello(hello))) else {
      Issue.record("no hello")
      return
    }
    #expect(read.profile.name == String(repeating: "é", count: 31))
    #expect(read.profile.controlAddresses == (0..<8).map { Bench.address($0) })
    #expect(read.profile.mediaAddresses.isEmpty, "link-local")
    #expect(read.instance == 1 << 62 - 1)
  }

  @Test func `a name that is no UTF-8 is repaired, one that is too long refused`() throws {
    let hello = Self.payload(.hello(Hello(node: Bench.own, instance: 1, profile: .init(name: ""))))
    guard case .hello(let read) = try Message(parsing: hello + octets("05 02 FF 41")) else {
      Issue.record("no hello")
      return
    }
    #expect(read.profile.name == "\u{FFFD}A")
    let long = octets("05 4040") + Array(repeating: 0x41, count: 64)
    #expect(throws: MeshError.malformed(type: 1, tag: 5)) { try Message(parsing: hello + long) }
  }

  @Test func `a hello without its node, its instance or its version is refused`() {
    let node = "03 20" + String(repeating: "AB", count: 32)
    for (text, tag): (String, UInt64) in [
      ("01 0101 02 \(node)", 4), ("01 0101 02 040101", 3), ("01 \(node) 040101", 1),
      ("01 010102 030155 040101", 3),
    ] {
      #expect(throws: MeshError.malformed(type: 1, tag: tag), "\(text)") {
        try Message(parsing: octets(text))
      }
    }
  }

  @Test func `another major version is refused with words, whatever else it says`() {
    let future = octets("01 010103 020105 03 01 FF 04 00")
    #expect(throws: MeshError.version(major: 3, minor: 5)) { try Message(parsing: future) }
    let words = MeshError.version(major: 3, minor: 5).description
    #expect(words.contains("3.5") && words.contains("\(MessageVersion.current)"))
  }

  @Test func `a heartbeat that lists 10 000 members gives the first 64`() throws {
    let one = Self.payload(
      .heartbeat(
        Heartbeat(members: [
          NodeRecord(node: Bench.lower, instance: 1, addresses: [Bench.address(1)])
        ])))
    let member = one.dropFirst(4)
    var flood: [UInt8] = Array(one.prefix(4))
    for _ in 0..<10_000 { flood += member }
    guard case .heartbeat(let heartbeat) = try Message(parsing: flood) else {
      Issue.record("no heartbeat")
      return
    }
    #expect(heartbeat.members.count == 64)
  }

  @Test func `a part of a lane without its channel, its place or its octets is refused`() {
    for (text, tag): (String, UInt64) in [
      ("0C 1B0105", 26), ("0D 1D0100 1E0101", 28), ("0D 1C0103 1E0101", 29),
      ("0D 1C0103 1D0100", 30), ("0E 1C0103 1F0100", 29), ("0E 1C0103 1D0100", 31),
    ] {
      #expect(throws: MeshError.malformed(type: UInt64(octets(text)[0]), tag: tag), "\(text)") {
        try Message(parsing: octets(text))
      }
    }
  }

  @Test func `a nonce or a code of a wrong length is refused, and a 65th code is ignored`() throws {
    let short = String(repeating: "AB", count: 31)
    #expect(throws: MeshError.malformed(type: 8, tag: 19)) { try Message(parsing: octets("08")) }
    #expect(throws: MeshError.malformed(type: 8, tag: 19)) {
      try Message(parsing: octets("08 13 1F \(short)"))
    }
    #expect(throws: MeshError.malformed(type: 9, tag: 20)) {
      try Message(parsing: octets("09 14 1F \(short)"))
    }
    let code = octets("14 20 \(short) AB")
    let flood = (0..<1000).reduce(into: [0x09 as UInt8]) { flood, _ in flood += code }
    guard case .groupProof(let proof) = try Message(parsing: flood) else {
      Issue.record("no proof")
      return
    }
    #expect(proof.codes.count == GroupProof.maximumCodes)
  }

  /// Tags 16, 17, 18, 32, 33, 34: stream, epoch, key, source, audience, SSRC.
  @Test(
    arguments: [
      ("07 1101 07 1201 AA 2201 05", 16), ("07 1001 00 1201 AA 2201 05", 17),
      ("07 1001 00 1101 07 2201 05", 18), ("07 1001 00 1101 07 1201 AA", 34),
      ("07 1001 18 1101 07 1201 AA 2201 05", 16), ("07 1001 00 1101 07 2001 3F 2002 4040", 32),
      ("07 1001 00 1101 07 1201 AA 2208 C000000100000000", 34),
      ("07 1001 00 21 21 " + String(repeating: "AB", count: 33), 33),
      ("07 1001 00 1101 07 2201 05 12 4101 " + String(repeating: "AB", count: 257), 18),
    ] as [(String, UInt64)])
  func `a key whose stream, source, audience, SSRC or length cannot be is refused`(
    text: String, tag: UInt64
  ) {
    #expect(throws: MeshError.malformed(type: 7, tag: tag)) { try Message(parsing: octets(text)) }
  }

  @Test(arguments: ["10", "10 1001 18", "10 1000", "10 1008 FFFFFFFFFFFFFFFF"])
  func `an end of a stream that no node has is refused`(text: String) {
    #expect(throws: MeshError.malformed(type: 16, tag: 16)) {
      try Message(parsing: octets(text))
    }
  }

  @Test func `of an audience's name as much is kept as is sent`() {
    let audience = StreamAudience(octets: Array(repeating: 1, count: 40))
    #expect(audience.octets.count == StreamAudience.maximumBytes)
    #expect(StreamAudience(octets: []) == .everyone)
  }

  @Test func `no description shows a key`() {
    let key = MediaKey(stream: 0, ssrc: 5, epoch: 3, octets: [211, 212, 213])
    var dumped = ""
    dump(key, to: &dumped)
    dump(Message.mediaKey(key), to: &dumped)
    dump(MeshAction.mediaKey(Bench.lower, key), to: &dumped)
    for text in ["\(key)", "\(Message.mediaKey(key))", String(reflecting: key), dumped] {
      #expect(!text.contains("211"), "\(text)")
    }
  }

  @Test func `IDs are ordered as their octets are`() {
    var random = SplitMix64(seed: 4)
    for _ in 0..<1000 {
      let pair = (0..<2).map { _ in (0..<32).map { _ in UInt8.random(in: 0...1, using: &random) } }
      let ids = pair.map { nodeID($0) }
      #expect((ids[0] < ids[1]) == pair[0].lexicographicallyPrecedes(pair[1]))
      #expect(ids[0].octets == pair[0])
    }
    #expect(NodeID(octets: [1, 2, 3]) == nil)
  }
}
