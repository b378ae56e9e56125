import Cryptography
import Mesh
import TestKit
import Testing

/// What the lanes of two nodes that mean well do.
@Suite struct LaneTests {
  @Test func `a message of several chunks comes whole, and is acknowledged when it was taken`()
    throws
  {
    let pair = LanePair()
    pair.connect()
    let octets = (0..<60_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
    try pair.one.desk.send(octets, on: .files, to: pair.other.node, sequence: 41)
    pair.run(seconds: 5, finishes: false)
    #expect(
      pair.other.messages == [
        LaneMessage(
          key: LaneMessage.Key(sender: pair.one.node, channel: .files, sequence: 41),
          octets: octets)
      ])
    #expect(pair.one.acknowledged.isEmpty)
    let chunks = pair.one.sent.compactMap { if case .chunk(let chunk) = $0 { chunk } else { nil } }
    #expect(chunks.count > 3 && chunks.allSatisfy { $0.octets.count <= LaneChunk.maximumBytes })
    for message in pair.other.messages { pair.other.desk.finish(message, nowNanoseconds: pair.now) }
    pair.run(seconds: 0.1)
    #expect(pair.one.acknowledged == [41])
  }

  @Test func `half a minute of voice is there within a second on a path that is free`() throws {
    let pair = LanePair()
    pair.connect()
    // At 40 kbit/s.
    for sequence: UInt64 in 0..<3 { try pair.send(50_000, on: .files, sequence: sequence) }
    pair.run(seconds: 0.8)
    #expect(pair.one.acknowledged == [0, 1, 2])
  }

  @Test func `messages of a channel come in order, and each once`() throws {
    let pair = LanePair()
    pair.connect()
    for sequence in 0..<60 {
      try pair.send(sequence * 13 + 1, on: .text, sequence: UInt64(sequence))
    }
    pair.run(seconds: 5)
    #expect(pair.other.messages.map(\.key.sequence) == Array(0..<60))
    #expect(pair.other.messages.map(\.octets.count) == (0..<60).map { $0 * 13 + 1 })
    #expect(pair.one.acknowledged == Array(0..<60))
  }

  @Test func `line state overtakes files and a flood of text`() throws {
    let pair = LanePair()
    pair.connect()
    for sequence: UInt64 in 0..<8 { try pair.send(60_000, on: .files, sequence: sequence) }
    for sequence: UInt64 in 0..<60 { try pair.send(4000, on: .text, sequence: sequence) }
    pair.run(seconds: 0.2)
    let count = pair.one.sent.count
    try pair.send(500, on: .lines, sequence: 1)
    pair.run(seconds: 0.005)
    guard case .chunk(let next)? = pair.one.sent.dropFirst(count).first else {
      Issue.record("no chunk")
      return
    }
    #expect(next.channel == LaneChannel.lines.rawValue)
    #expect(pair.other.messages.last?.key.channel == .lines)
  }

  @Test func `a flood of text has its own rate, and files beside it have theirs`() throws {
    let pair = LanePair()
    pair.connect()
    for sequence: UInt64 in 0..<60 { try pair.send(16_000, on: .text, sequence: sequence) }
    for sequence: UInt64 in 0..<60 { try pair.send(60_000, on: .files, sequence: sequence) }
    pair.run(seconds: 10)
    func bytes(_ channel: LaneChannel) -> Int {
      pair.other.messages.reduce(0) { $0 + ($1.key.channel == channel ? $1.octets.count : 0) }
    }
    #expect((280_000...360_000).contains(bytes(.text)), "\(bytes(.text))")
    #expect(bytes(.files) == 3_600_000)
  }

  @Test func `a channel on which nobody takes anything holds up no other`() throws {
    let pair = LanePair(open: [.lines, .text])
    pair.connect()
    try pair.send(100, on: .files, sequence: 1)
    try pair.send(100, on: .text, sequence: 2)
    pair.run(seconds: 1)
    #expect(pair.other.messages.map(\.key.sequence) == [2])
    pair.other.desk.open(.files)
    pair.run(seconds: 1)
    #expect(pair.other.messages.map(\.key.sequence) == [2, 1])
    #expect(pair.one.acknowledged == [2, 1])
  }

  @Test func `a consumer that takes its time holds back its sender, and no other channel`() throws {
    let pair = LanePair()
    pair.connect()
    for sequence: UInt64 in 0..<60 { try pair.send(60_000, on: .files, sequence: sequence) }
    pair.run(seconds: 10, finishes: false)
    let octets = pair.one.sent.reduce(0) {
      if case .chunk(let chunk) = $1 { $0 + chunk.octets.count } else { $0 }
    }
    // With their headers; a fifth does not fit the window.
    #expect(octets == 4 * 60_005 && octets <= LaneChannel.files.windowBytes)
    #expect(pair.other.messages.count == 1)
    try pair.send(100, on: .captions, sequence: 9)
    pair.run(seconds: 0.5, finishes: false)
    #expect(pair.other.messages.last?.key.channel == .captions)
  }

  @Test func `what waits for room is bounded, and told when it has some`() throws {
    let pair = LanePair()
    pair.connect()
    var count: UInt64 = 0
    #expect(throws: LaneError.crowded(maximum: 64)) {
      while count < 1000 {
        try pair.send(60_000, on: .files, sequence: count)
        count += 1
      }
    }
    #expect(count == 64 + 4)
    let queued = pair.one.desk.takeEvents().count
    #expect(queued == 4)
    pair.run(seconds: 20)
    #expect(pair.one.acknowledged.count == 68)
    #expect(throws: LaneError.wrongLength(byteCount: 0, maximum: 16 * 1024)) {
      try pair.send(0, on: .text, sequence: 1)
    }
    #expect(throws: LaneError.notMember) {
      try pair.one.desk.send([1], on: .text, to: .test(0x80), sequence: 1)
    }
  }

  @Test(arguments: Seeds.first(100))
  func `order and integrity outlast connections that end anywhere`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let pair = LanePair()
    pair.connect()
    var expected: [LaneChannel: [[UInt8]]] = [:]
    for sequence: UInt64 in 0..<60 {
      let channel = LaneChannel.allCases[Int(sequence % 5)]
      let count = Int.random(in: 1...channel.maximumMessageBytes, using: &random)
      let octets = (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      try pair.one.desk.send(octets, on: channel, to: pair.other.node, sequence: sequence)
      expected[channel, default: []].append(octets)
    }
    for _ in 0..<6 {
      pair.connect()
      // From some frame on nothing arrives, of either direction.
      var left = Int.random(in: 0...20, using: &random)
      var leftBack = Int.random(in: 0...20, using: &random)
      pair.run(seconds: .random(in: 0...1, using: &random)) { _ in
        left -= 1
        return left >= 0
      } answers: { _ in
        leftBack -= 1
        return leftBack >= 0
      }
      pair.disconnect()
      pair.run(seconds: 0.01)
    }
    pair.connect()
    pair.run(seconds: 60)
    for channel in LaneChannel.allCases {
      let came = pair.other.messages.filter { $0.key.channel == channel }.map(\.octets)
      #expect(came == expected[channel] ?? [], "seed \(seed)")
    }
    #expect(Set(pair.one.acknowledged).count == 60, "seed \(seed)")
    #expect(pair.other.violations.isEmpty && pair.one.violations.isEmpty)
  }

  @Test func `a later run of the receiver gets all that was not acknowledged, by the same keys`()
    throws
  {
    let pair = LanePair()
    pair.connect()
    for sequence: UInt64 in 0..<5 { try pair.send(10_000, on: .text, sequence: sequence) }
    // Consumed by the first run, but for the last.
    pair.run(seconds: 0.8)
    let acknowledged = pair.one.acknowledged
    #expect(!acknowledged.isEmpty && acknowledged.count < 5)
    pair.disconnect()
    pair.restartOther()
    pair.connect()
    pair.run(seconds: 5)
    #expect(pair.other.messages.map(\.key.sequence) == Array(UInt64(acknowledged.count)..<5))
    #expect(pair.one.acknowledged == Array(0..<5))
  }

  @Test(arguments: Seeds.first(100))
  func `later runs of the receiver get all, whichever frames of which connection arrived`(
    seed: UInt64
  ) throws {
    var random = SplitMix64(seed: seed)
    let pair = LanePair()
    pair.connect()
    var got: Set<UInt64> = []
    for sequence: UInt64 in 0..<60 {
      try pair.send(.random(in: 1...5000, using: &random), on: .text, sequence: sequence)
      guard sequence % 6 == 0 else { continue }
      if Bool.random(using: &random) { pair.restartOther() }
      pair.connect()
      var left = Int.random(in: 0...8, using: &random)
      var leftBack = Int.random(in: 0...8, using: &random)
      pair.run(seconds: .random(in: 0...0.3, using: &random)) { _ in
        left -= 1
        return left >= 0
      } answers: { _ in
        leftBack -= 1
        return leftBack >= 0
      }
      #expect(pair.other.violations.isEmpty && pair.one.violations.isEmpty, "seed \(seed)")
      got.formUnion(pair.other.messages.map(\.key.sequence))
      if Bool.random(using: &random) { pair.disconnect() }
    }
    pair.connect()
    pair.run(seconds: 30)
    got.formUnion(pair.other.messages.map(\.key.sequence))
    #expect(got == Set(0..<60), "seed \(seed)")
    #expect(Set(pair.one.acknowledged) == Set(0..<60), "seed \(seed)")
    #expect(pair.other.violations.isEmpty && pair.one.violations.isEmpty, "seed \(seed)")
  }

  @Test func `a later run that knew this end's number before its own arrived breaks no rule`()
    throws
  {
    let pair = LanePair()
    pair.connect()
    try pair.send(100, on: .text, sequence: 0)
    pair.run(seconds: 0.1)
    #expect(pair.one.acknowledged == [0])
    pair.disconnect()
    pair.restartOther()
    try pair.send(100, on: .text, sequence: 1)
    pair.connect()
    // Two nodes that dial each other: what goes on with the other connection was never read on the first.
    pair.run(seconds: 0.1, answers: { _ in false })
    pair.connect()
    pair.run(seconds: 1)
    #expect(pair.one.violations.isEmpty)
    #expect(pair.one.acknowledged == [0, 1])
    #expect(pair.other.messages.map(\.key.sequence) == [1])
  }

  @Test func `a resume that comes before the connection is a member's counts`() throws {
    let pair = LanePair()
    pair.connect()
    pair.disconnect()
    let connection = ConnectionID(rawValue: 77)
    pair.one.desk.attach(connection, to: pair.other.node, nowNanoseconds: pair.now)
    let resume = try #require(pair.one.desk.next(on: connection, nowNanoseconds: pair.now))
    pair.other.desk.take(resume, on: connection, nowNanoseconds: pair.now)
    pair.other.desk.attach(connection, to: pair.one.node, nowNanoseconds: pair.now)
    for kind in ["resume", "receipt"] {
      let frame = try #require(pair.other.desk.next(on: connection, nowNanoseconds: pair.now))
      #expect("\(frame)".hasPrefix(kind))
    }
    #expect(pair.other.desk.ignoredFrames == 0)
  }

  @Test func `who is no member any more loses what is under way, and it is told`() throws {
    let pair = LanePair()
    pair.connect()
    for sequence: UInt64 in 0..<6 { try pair.send(60_000, on: .files, sequence: sequence) }
    pair.one.desk.end(pair.other.node)
    pair.run(seconds: 0)
    #expect(pair.one.failed == Array(0..<6))
    #expect(throws: LaneError.notMember) { try pair.send(1, on: .text, sequence: 9) }
  }

  @Test func `a member that does not come back within five minutes is given up`() throws {
    let pair = LanePair()
    pair.connect()
    try pair.send(1, on: .text, sequence: 3)
    pair.disconnect()
    let deadline = pair.one.desk.nextDeadlineNanoseconds
    #expect(deadline == pair.now + 300_000_000_000)
    pair.one.desk.expire(nowNanoseconds: deadline - 1)
    pair.run(seconds: 0)
    #expect(pair.one.failed.isEmpty)
    pair.one.desk.expire(nowNanoseconds: deadline)
    pair.run(seconds: 0)
    #expect(pair.one.failed == [3])
    #expect(pair.one.desk.nextDeadlineNanoseconds == .max)
  }
}
