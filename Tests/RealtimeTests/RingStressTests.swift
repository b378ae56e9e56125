import Foundation
import TestKit
import Testing

@Suite("Ring, two threads")
struct RingStressTests {
  /// Passes 2^32 half-way.
  private static let frameCount = 600_000
  private static let firstIndex = UInt32.max - UInt32(frameCount / 2)

  @Test
  func `every frame arrives once and in order while the indices wrap`() throws {
    let ring = try #require(TestRing(capacityFrames: 512))
    ring.setIndices(write: Self.firstIndex, read: Self.firstIndex)
    let isWritten = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      Self.writeAll(to: ring)
      isWritten.signal()
    }
    #expect(Self.countMisplaced(in: ring) == 0)
    isWritten.wait()
    #expect(ring.errors == 0)
    #expect(ring.fill == 0)
  }

  private static func writeAll(to ring: TestRing) {
    var random = SplitMix64(seed: 1)
    var written = 0
    while written < frameCount {
      let count = min(Int.random(in: 1...200, using: &random), frameCount - written)
      let fitted = ring.write((written..<written + count).map { Float($0) })
      written += fitted
      if fitted == 0 { sched_yield() }
    }
  }

  /// A `Float` tells all integers below 2^24 apart.
  private static func countMisplaced(in ring: TestRing) -> Int {
    var random = SplitMix64(seed: 2)
    var misplaced = 0
    var expected = 0
    while expected < frameCount {
      let frames = ring.read(Int.random(in: 1...200, using: &random))
      for frame in frames {
        if frame != Float(expected) { misplaced += 1 }
        expected += 1
      }
      if frames.isEmpty { sched_yield() }
    }
    return misplaced
  }
}
