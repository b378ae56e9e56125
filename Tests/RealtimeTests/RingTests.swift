import TestKit
import Testing

@Suite("Ring")
struct RingTests {
  @Test(arguments: [0, 3, 100, 65_535] as [UInt32])
  func `a capacity that is no power of two is refused`(_ capacity: UInt32) {
    #expect(TestRing(capacityFrames: capacity) == nil)
  }

  /// First indices: zero, and so close to 2^32 that the run wraps them.
  @Test(arguments: [0, UInt32.max, UInt32.max - 777] as [UInt32], [1, 2, 16, 256] as [UInt32])
  func `it does what a plain array does, over the wrap of its indices too`(
    firstIndex: UInt32, capacity: UInt32
  ) throws {
    let seed = UInt64(firstIndex) << 32 | UInt64(capacity)
    var random = SplitMix64(seed: seed)
    let ring = try #require(TestRing(capacityFrames: capacity))
    ring.setIndices(write: firstIndex, read: firstIndex)
    var model: [Float] = []
    var next: Float = 0
    for _ in 0..<2_000 {
      let count = Int.random(in: 0...Int(capacity) + 3, using: &random)
      if Bool.random(using: &random) {
        let frames = (0..<count).map { next + Float($0) }
        let fitted = ring.write(frames)
        try #require(fitted == min(count, Int(capacity) - model.count), "seed \(seed)")
        model += frames.prefix(fitted)
        next += Float(fitted)
      } else {
        let expected = Array(model.prefix(count))
        try #require(ring.read(count) == expected, "seed \(seed)")
        model.removeFirst(expected.count)
      }
      try #require(ring.fill == model.count, "seed \(seed)")
    }
    #expect(ring.errors == 0)
  }

  @Test
  func `a full ring takes nothing and an empty one gives nothing`() throws {
    let ring = try #require(TestRing(capacityFrames: 4))
    #expect(ring.read(1) == [])
    #expect(ring.write([1, 2, 3, 4, 5]) == 4)
    #expect(ring.write([6]) == 0)
    #expect(ring.read(9) == [1, 2, 3, 4])
  }

  /// Above the capacity, and below zero.
  @Test(arguments: [5, UInt32.max] as [UInt32])
  func `a fill that cannot be is counted, and moves no frame`(_ fill: UInt32) throws {
    let ring = try #require(TestRing(capacityFrames: 4))
    ring.setIndices(write: fill, read: 0)
    #expect(ring.write([1]) == 0)
    #expect(ring.read(1) == [])
    #expect(ring.errors == 2)
    #expect(ring.fill == 0)
  }
}
