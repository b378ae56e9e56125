import Testing

@testable import NodeDaemon

/// Where an utterance of somebody who goes on and on is cut.
@Suite struct UtteranceLengthTests {
  /// 80 ms of a square wave.
  private func sound(_ level: Int16) -> [UInt8] {
    (0..<1280).flatMap { index in
      let sample = UInt16(bitPattern: index % 20 < 10 ? level : -level)
      return [UInt8(sample & 0xFF), UInt8(sample >> 8)]
    }
  }

  private func cut(after seconds: Double, quietAt pauses: Set<Int>, level: Int16 = 100) -> Int? {
    var length = UtteranceLength()
    for look in 0..<Int(seconds / 0.08) {
      length.take(sound(pauses.contains(look) ? level : 3000))
      if length.isDue { return length.milliseconds }
    }
    return nil
  }

  @Test func `it is cut between two words after eight seconds, and anywhere after fifteen`() {
    #expect(cut(after: 7.9, quietAt: [10, 50, 90]) == nil)
    #expect(cut(after: 20, quietAt: [10, 50, 90, 110, 130]) == 111 * 80)
    #expect(cut(after: 20, quietAt: []) == 15_040)
    // What is a little softer is no pause.
    #expect(cut(after: 20, quietAt: [110], level: 1500) == 15_040)
  }

  @Test func `silence alone is not cut before its time`() {
    var length = UtteranceLength()
    for _ in 0..<150 { length.take(sound(0)) }
    #expect(!length.isDue && length.milliseconds == 12_000)
    length.take([1])
    #expect(length.bytes == 150 * 2560)
  }
}
