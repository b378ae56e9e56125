import EventLoop
import Testing

@testable import Intercom

/// What becomes of a guest's frames between the page and the loop.
@Suite struct GuestLineTests {
  private let line = GuestLine()

  private func frame(
    _ sequence: UInt32, kind: GuestFrame.Kind = .opus, at timestamp: UInt32? = nil,
    payload: [UInt8] = [240, 1, 2]
  ) -> [UInt8] {
    GuestFrame(
      kind: kind, sequence: sequence, timestamp: timestamp ?? sequence &* 480, level: 30
    ).header + payload
  }

  private func drained() -> [UInt32] {
    var sequences: [UInt32] = []
    line.drain { frame, _, _ in sequences.append(frame.sequence) }
    return sequences
  }

  @Test func `a frame is read as it was written`() throws {
    let octets = frame(0x0102_0304, at: 0xA0B0_C0D0)
    #expect(octets.prefix(10) == [1, 1, 2, 3, 4, 0xA0, 0xB0, 0xC0, 0xD0, 30])
    let read = try #require(unsafe GuestFrame(octets.span.bytes))
    #expect(read.kind == .opus && read.sequence == 0x0102_0304)
    #expect(read.timestamp == 0xA0B0_C0D0 && read.level == 30)
  }

  @Test func `the first copy of each frame counts, also where one connection lags`() {
    let connections: [[UInt32]] = [Array(1...20), Array(1...20)]
    for sequence in connections[0].prefix(12) { line.take(frame(sequence)) }
    for sequence in connections[1] { line.take(frame(sequence)) }
    for sequence in connections[0].dropFirst(12) { line.take(frame(sequence)) }
    #expect(drained() == Array(1...20))
    #expect(line.counts.taken == 20 && line.counts.copies == 20 && line.counts.missing == 0)
  }

  @Test func `numbers go on over their end`() {
    for step in 0..<10 { line.take(frame(UInt32.max - 4 &+ UInt32(step), at: UInt32(step) * 480)) }
    #expect(drained().count == 10 && line.counts.missing == 0)
  }

  @Test func `what never came is counted, and what came too late is not heard`() {
    line.take(frame(1, at: 48_000))
    line.take(frame(5, at: 48_000 + 4 * 480))
    #expect(line.counts.missing == 3)
    // A second behind the others: no listener waits for it.
    for sequence in UInt32(6)...20 { line.take(frame(sequence, at: sequence)) }
    #expect(drained() == [1, 5])
    #expect(line.counts.stale == 15)
    // The way has become that long: it is taken for what it is.
    for sequence in UInt32(21)...200 { line.take(frame(sequence, at: sequence)) }
    #expect(!drained().isEmpty)
  }

  @Test func `a loop that stands still is not queued up for`() {
    for sequence in UInt32(1)...100 { line.take(frame(sequence)) }
    #expect(drained().count == 32)
    #expect(line.counts.dropped == 68)
    line.take(frame(101))
    #expect(drained() == [101])
  }

  @Test func `what is no frame is counted`() {
    let bad: [[UInt8]] = [
      [], [1], Array(repeating: 1, count: 10), [9] + Array(repeating: 0, count: 20),
      [1] + Array(repeating: 0, count: 3000),
    ]
    for octets in bad { line.take(octets) }
    #expect(line.counts.malformed == bad.count)
    #expect(drained().isEmpty)
    var random = SystemRandomNumberGenerator()
    for _ in 0..<2000 {
      line.take((0..<Int.random(in: 0..<64, using: &random)).map { _ in .random(in: 0...255) })
      _ = drained()
    }
  }

  @Test func `samples become Opus of the same length`() {
    var frames: [Int] = []
    for sequence in UInt32(1)...5 {
      line.take(frame(sequence, kind: .pcm, payload: [UInt8](repeating: 3, count: 960)))
    }
    line.take(frame(6, kind: .pcm, payload: [UInt8](repeating: 3, count: 961)))
    line.take(frame(7, kind: .pcm, payload: [240]))
    line.drain { _, payload, _ in frames.append(payload.byteCount) }
    #expect(frames.count == 6 && frames.prefix(5).allSatisfy { (2...400).contains($0) })
    #expect(frames.last == 1)
  }
}
