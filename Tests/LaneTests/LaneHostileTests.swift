import Cryptography
import Mesh
import TestKit
import Testing

/// What a member can do to a node by the lane: be refused with words, and cost no more than its window.
@Suite struct LaneHostileTests {
  private static let text = LaneChannel.text.rawValue

  /// A chunk that is a whole message.
  private static func message(
    _ count: Int, at position: UInt64 = 0, on channel: UInt64 = text
  ) -> LaneFrame {
    let header: [UInt8] = [
      1, 0x80, UInt8(count >> 16), UInt8(count >> 8 & 255), UInt8(count & 255),
    ]
    return .chunk(
      LaneChunk(
        channel: channel, position: position,
        octets: header + [UInt8](repeating: 1, count: max(0, min(count, 16_000)))))
  }

  private static let breaches: [(LaneViolation, [LaneFrame])] = [
    (.channel, [message(5, on: 77)]),
    (.channel, [message(5, on: 0)]),
    (.chunkLength, [.chunk(LaneChunk(channel: text, position: 0, octets: []))]),
    (
      .chunkLength,
      [
        .chunk(
          LaneChunk(channel: text, position: 0, octets: [UInt8](repeating: 1, count: 16 * 1024 + 1))
        )
      ]
    ),
    (.position, [message(5, at: 1)]),
    (.position, [message(5), message(5)]),
    (.position, [message(5, at: .max)]),
    (.messageLength, [message(0)]),
    (.messageLength, [message(16 * 1024 + 1)]),
    (.receipt, [.receipt(LaneReceipt(channel: text, received: 1, taken: 0))]),
    (.receipt, [.receipt(LaneReceipt(channel: text, received: 0, taken: 1))]),
    (.receipt, [.receipt(LaneReceipt(channel: text, received: .max, taken: .max))]),
    (.flood, (0..<10).map { .resume(LaneResume(own: 5 + UInt64($0), other: 0)) }),
    (.flood, (0..<2100).map { _ in .receipt(LaneReceipt(channel: 99, received: 0, taken: 0)) }),
  ]

  @Test(arguments: breaches.indices)
  func `who breaks a rule is refused with words, counted, and heard again after a minute`(
    index: Int
  ) throws {
    let (violation, frames) = Self.breaches[index]
    let pair = LanePair()
    pair.connect()
    pair.run(seconds: 0.1)
    for frame in frames { pair.forge(frame) }
    #expect(pair.other.violations == [violation])
    #expect(pair.other.desk.violationCounts == [violation: 1])
    #expect(
      pair.other.desk.next(on: pair.connection, nowNanoseconds: pair.now)
        == .refusal(words: violation.words))
    pair.forge(.refusal(words: "whatever"))
    let count = pair.other.messages.count
    try pair.send(100, on: .text, sequence: 8)
    pair.run(seconds: 59)
    #expect(pair.other.messages.count == count)
    pair.run(seconds: 2)
    #expect(pair.other.messages.last?.key.sequence == 8)
    #expect(pair.one.acknowledged == [8])
    #expect(pair.other.violations == [violation])
  }

  @Test func `who goes on though it was refused is cut`() {
    let pair = LanePair()
    pair.connect()
    pair.run(seconds: 0.1)
    for _ in 0..<2048 { pair.forge(Self.message(5, at: 9)) }
    #expect(!pair.other.events.contains { if case .flooded = $0 { true } else { false } })
    for _ in 0..<10 { pair.forge(Self.message(5, at: 9)) }
    #expect(pair.other.events.contains { if case .flooded = $0 { true } else { false } })
    #expect(pair.other.desk.violationCounts == [.position: 1])
  }

  @Test func `chunks before a resume are refused; on a connection of nobody they mean nothing`() {
    let pair = LanePair()
    pair.connect()
    pair.forge(Self.message(5))
    #expect(pair.other.violations == [.order])
    pair.other.desk.take(
      Self.message(5), on: ConnectionID(rawValue: 500), nowNanoseconds: pair.now)
    #expect(pair.other.desk.ignoredFrames == 1)
    #expect(pair.other.desk.takeEvents().isEmpty)
  }

  @Test func `a message that never ends takes no more than it may, and more is refused`() {
    let pair = LanePair()
    pair.connect()
    pair.run(seconds: 0.1)
    var position: UInt64 = 0
    while pair.other.violations.isEmpty, position < 1_000_000 {
      // Short messages, of which the consumer is slow to take the first.
      let octets = [UInt8](repeating: 0, count: 16_000).enumerated().map {
        [1, 2, 9, 9][$0.offset % 4] as UInt8
      }
      pair.forge(
        .chunk(LaneChunk(channel: Self.text, position: position, octets: octets)),
        finishes: false)
      position += 16_000
    }
    #expect(pair.other.violations == [.window])
    #expect(position == 80_000, "64 KiB are four such chunks")
  }

  @Test func `a node that all members fill at once refuses who holds most, and others go on`() {
    let desk = LaneDesk(firstNumber: 1)
    for channel in LaneChannel.allCases { desk.open(channel) }
    let now: Int64 = 1_000_000_000
    var refused: Set<ConnectionID> = []
    for index: UInt64 in 1...100 {
      let connection = ConnectionID(rawValue: index)
      desk.attach(connection, to: NodeID.test(1, UInt16(index)), nowNanoseconds: now)
      desk.take(.resume(LaneResume(own: index, other: 0)), on: connection, nowNanoseconds: now)
      for part: UInt64 in 0..<15 {
        desk.take(
          .chunk(
            LaneChunk(
              channel: LaneChannel.files.rawValue, position: part * 16_000,
              octets: [1, 0x80, 0, 0xFF, 0xFF] + [UInt8](repeating: 1, count: 15_995))),
          on: connection, nowNanoseconds: now)
      }
      for case .refused(let connection, .held) in desk.takeEvents() { refused.insert(connection) }
    }
    // 240 000 octets each; 8 MiB hold 34 of them.
    #expect(desk.violationCounts == [.held: refused.count])
    #expect((60...70).contains(refused.count), "\(refused.count)")
  }

  @Test func `consumers serve the senders in turn`() {
    let desk = LaneDesk(firstNumber: 1)
    desk.open(.text)
    let now: Int64 = 1_000_000_000
    for index: UInt64 in 1...3 {
      let connection = ConnectionID(rawValue: index)
      desk.attach(connection, to: NodeID.test(UInt8(index)), nowNanoseconds: now)
      desk.take(.resume(LaneResume(own: index, other: 0)), on: connection, nowNanoseconds: now)
      // The first one floods.
      for part in 0..<(index == 1 ? 20 : UInt64(2)) {
        desk.take(Self.message(100, at: part * 105), on: connection, nowNanoseconds: now)
      }
    }
    var order: [UInt8] = []
    for _ in 0..<7 {
      for case .message(let message) in desk.takeEvents() {
        order.append(message.key.sender.octets[0])
        desk.finish(message, nowNanoseconds: now)
      }
    }
    #expect(order == [1, 2, 3, 1, 2, 3, 1])
  }

  @Test(arguments: Seeds.first(200))
  func `frames at random never trap, and hold no more than the windows`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let pair = LanePair()
    pair.connect()
    pair.run(seconds: 0.05)
    for _ in 0..<300 {
      let channel = UInt64.random(in: 0...6, using: &random)
      let number: () -> UInt64 = {
        [0, 1, 5, 16_000, 65_536, UInt64.max].randomElement(using: &random) ?? 0
      }
      switch Int.random(in: 0...9, using: &random) {
      case 0: pair.forge(.resume(LaneResume(own: number(), other: number())))
      case 1: pair.forge(.receipt(LaneReceipt(channel: channel, received: number(), taken: 0)))
      case 2: pair.forge(.refusal(words: ""))
      case 3: pair.connect()
      case 4: pair.run(seconds: random.chance(0.1) ? 61 : 0.01, finishes: random.chance(0.5))
      default:
        let octets = (0..<Int.random(in: 0...400, using: &random)).map { _ in
          UInt8.random(in: 0...40, using: &random)
        }
        let position = random.chance(0.5) ? 0 : number()
        pair.forge(.chunk(LaneChunk(channel: channel, position: position, octets: octets)))
      }
    }
  }
}
