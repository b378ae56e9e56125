import TestKit
import Testing

@testable import Media

@Suite struct PacketBufferTests {
  private static func buffer(holding sequences: [Int64], next: Int64 = 1000) -> PacketBuffer {
    var buffer = PacketBuffer()
    buffer.reset(nextSequence: next)
    for sequence in sequences { insert(sequence, into: &buffer) }
    return buffer
  }

  private static func insert(_ sequence: Int64, into buffer: inout PacketBuffer) {
    var entry = PacketBuffer.Entry()
    entry.sequence = sequence
    let payload = (0..<Int(sequence % 50 + 2)).map {
      UInt8(truncatingIfNeeded: Int64($0) + sequence)
    }
    buffer.insert(entry, payload: unsafe payload.span.bytes)
  }

  @Test func `the lowest number comes first whatever came first`() {
    var buffer = Self.buffer(holding: [1005, 1001, 1127, 1000])
    var order: [Int64] = []
    while let first = buffer.first {
      order.append(first.sequence)
      _ = buffer.take(first.sequence)
    }
    #expect(order == [1000, 1001, 1005, 1127])
    #expect(buffer.waitingCount == 0)
  }

  @Test(
    arguments: [(960, 480, true), (961, 480, false), (960, 240, false)] as [(Int64, Int, Bool)])
  func `a packet takes the place of its waiting repair if it is the same sound`(
    startFrame: Int64, durationFrames: Int, isTaken: Bool
  ) throws {
    var buffer = Self.buffer(holding: [], next: 1000)
    var entry = PacketBuffer.Entry()
    entry.sequence = 1001
    entry.startFrame = 960
    entry.durationFrames = 480
    entry.isRepair = true
    let (lean, full): ([UInt8], [UInt8]) = ([1, 2], [3, 4, 5])
    buffer.insert(entry, payload: unsafe lean.span.bytes)
    entry.isRepair = false
    entry.startFrame = startFrame
    entry.durationFrames = durationFrames
    buffer.replaceRepair(with: entry, payload: unsafe full.span.bytes)
    let first = try #require(buffer.first)
    #expect(buffer.waitingCount == 1)
    #expect(first.isRepair != isTaken)
    #expect(first.startFrame == 960 && first.durationFrames == 480)
    #expect(buffer.payload(of: first).byteCount == (isTaken ? 3 : 2))
    _ = buffer.take(1001)
    buffer.replaceRepair(with: entry, payload: unsafe full.span.bytes)
    #expect(buffer.waitingCount == 0 && buffer.first == nil)
  }

  @Test func `payloads come back as they went`() throws {
    let buffer = Self.buffer(holding: [1000, 1037, 1127])
    for sequence in [1000, 1037, 1127] as [Int64] {
      var entry = PacketBuffer.Entry()
      entry.sequence = sequence
      entry.payloadBytes = Int(sequence % 50 + 2)
      let payload = buffer.payload(of: entry)
      for index in 0..<payload.byteCount {
        let octet = unsafe payload.unsafeLoad(fromByteOffset: index, as: UInt8.self)
        #expect(octet == UInt8(truncatingIfNeeded: Int64(index) + sequence))
      }
    }
  }

  @Test func `passing counts what is missed and what is skipped`() {
    var buffer = Self.buffer(holding: [1001, 1004, 1009])
    let passage = buffer.pass(to: 1008)
    #expect(passage.skipped == 2)
    #expect(passage.missed == 6)
    #expect(buffer.nextSequence == 1008)
    #expect(buffer.waitingCount == 1)
  }

  @Test func `a number has the standing its history gave it`() {
    var buffer = Self.buffer(holding: [1001, 1002])
    _ = buffer.take(1001)
    #expect(buffer.standing(of: 1000) == .late)
    #expect(buffer.standing(of: 1001) == .duplicate)
    #expect(buffer.standing(of: 1002) == .duplicate)
    #expect(buffer.standing(of: 1003) == .ahead)
    buffer.markTaken(1000)
    #expect(buffer.standing(of: 1000) == .duplicate)
    _ = buffer.pass(to: 5000)
    #expect(buffer.standing(of: 1002) == .tooOld)
    #expect(buffer.standing(of: 4999) == .late)
    #expect(buffer.standing(of: 4872) == .late)
    #expect(buffer.standing(of: 4871) == .tooOld)
  }

  /// Against a dictionary that does the same.
  @Test func `any history agrees with a plain model`() {
    for seed in UInt64(1)...50 {
      var random = SplitMix64(seed: seed)
      var buffer = Self.buffer(holding: [])
      var waiting: Set<Int64> = []
      var next: Int64 = 1000
      for _ in 0..<500 {
        let sequence = next + Int64(random.next() % 128)
        if random.chance(0.6), !waiting.contains(sequence) {
          #expect(buffer.standing(of: sequence) == .ahead, "seed \(seed)")
          Self.insert(sequence, into: &buffer)
          waiting.insert(sequence)
        } else if random.chance(0.5), let first = waiting.min() {
          #expect(buffer.first?.sequence == first, "seed \(seed)")
          #expect(buffer.take(first).missed == Int(first - next), "seed \(seed)")
          waiting.remove(first)
          next = first + 1
        } else {
          let end = next + Int64(random.next() % 20)
          let skipped = waiting.filter { $0 < end }
          let passage = buffer.pass(to: end)
          #expect(passage.skipped == skipped.count, "seed \(seed)")
          #expect(passage.missed == Int(end - next) - skipped.count, "seed \(seed)")
          waiting.subtract(skipped)
          next = end
        }
        #expect(buffer.waitingCount == waiting.count, "seed \(seed)")
        #expect(buffer.nextSequence == next, "seed \(seed)")
      }
    }
  }
}
