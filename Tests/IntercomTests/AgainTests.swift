import Lines
import TestKit
import Testing

@testable import Intercom

/// The last that was said on lines.
@Suite struct AgainTests {
  private static let second: Int64 = 1_000_000_000
  private let queue = AgainQueue()
  private var memory = AgainMemory()

  /// Says a constant on lines, from a frame of the time line on.
  private mutating func say(
    _ value: Float, frames: Int, at position: Int64, places: UInt64 = 1, rate: Int = 48_000,
    now: Int64 = 0
  ) {
    let piece = [Float](repeating: value, count: 240)
    for start in stride(from: 0, to: frames, by: piece.count) {
      queue.write(
        piece.span.extracting(..<min(piece.count, frames - start)), places: places,
        position: position + Int64(start), sampleRate: rate)
      if start % 24_000 == 0 { take(now: now) }
    }
    take(now: now)
  }

  private mutating func take(now: Int64) {
    queue.read { head, pcm in memory.take(head, pcm, nowNanoseconds: now) }
  }

  private func last(_ seconds: Double = 15, at place: Int = 0, rate: Int = 48_000) -> [Float] {
    memory.last(seconds, at: place, sampleRate: rate)
  }

  private func isAll(_ pcm: some Sequence<Float>, _ value: Float) -> Bool {
    pcm.allSatisfy { abs($0 - value) < 0.001 }
  }

  @Test mutating func `the last words are kept in their order, and pauses are left out`() {
    say(0.25, frames: 48_000, at: 1_000_000)
    say(0.5, frames: 48_000, at: 1_000_000 + 20 * 48_000)
    let pcm = last()
    #expect(pcm.count == 2 * 48_000 + 14_400, "with a breath between them")
    #expect(isAll(pcm.prefix(48_000), 0.25) && isAll(pcm.suffix(48_000), 0.5))
    #expect(isAll(pcm[48_000..<62_400], 0))
    #expect(isAll(last(1), 0.5) && last(1).count == 48_000)
    // Of more than there is room for the last, and nothing of what was there before.
    say(0.75, frames: 17 * 48_000, at: 1_000_000 + 60 * 48_000)
    #expect(last().count == 15 * 48_000 && isAll(last(), 0.75))
  }

  @Test mutating func `who talks at the same time is mixed, and what is too loud is clipped`() {
    say(0.25, frames: 9600, at: 5000)
    say(0.5, frames: 9600, at: 5000)
    #expect(isAll(last(), 0.75) && last().count == 9600)
    say(0.5, frames: 9600, at: 5000)
    #expect(isAll(last(), 1))
    say(.nan, frames: 9600, at: 5000)
    #expect(isAll(last(), 1))
  }

  @Test mutating func `lines are kept apart, and forgotten when they are old or left`() {
    say(0.25, frames: 4800, at: 0, places: 0b101)
    say(0.5, frames: 4800, at: 4800, places: 0b100 | 1 << 63, now: 9 * 60 * Self.second)
    #expect(isAll(last(at: 0), 0.25) && last(at: 0).count == 4800 && last(at: 1).isEmpty)
    #expect(last(at: 2).count == 9600 && isAll(last(at: 63), 0.5))
    #expect(memory.byteCount == 3 * 15 * 48_000 * 2)
    memory.keep({ $0 != 63 }, nowNanoseconds: 10 * 60 * Self.second)
    #expect(last(at: 0).isEmpty && last(at: 63).isEmpty && memory.latestPlace == 2)
    #expect(memory.byteCount == 15 * 48_000 * 2)
  }

  @Test mutating func `a faster JACK takes no more room, and another rate begins anew`() {
    say(0.25, frames: 96_000, at: 0, rate: 96_000)
    #expect(memory.byteCount == 15 * 48_000 * 2)
    #expect(last(rate: 96_000).count == 96_000 && isAll(last(rate: 96_000), 0.25))
    #expect(last(rate: 44_100).count == 44_100 && isAll(last(rate: 44_100), 0.25))
    say(0.5, frames: 44_100, at: 500_000, rate: 44_100)
    #expect(isAll(last(rate: 44_100), 0.5) && last(rate: 44_100).count == 44_100)
  }

  @Test mutating func `a time line that begins anew loses nothing`() {
    say(0.25, frames: 4800, at: 10_000_000)
    say(0.5, frames: 4800, at: 0)
    say(0.75, frames: 4800, at: .max / 2)
    let pcm = last()
    #expect(isAll(pcm.prefix(4800), 0.25) && isAll(pcm[4800..<9600], 0.5))
    #expect(isAll(pcm.suffix(4800), 0.75))
  }

  @Test mutating func `nobody who reads is waited for`() {
    let piece = [Float](repeating: 0.5, count: AgainQueue.pieceFrames)
    for _ in 0..<2000 { queue.write(piece.span, places: 1, position: 0, sampleRate: 48_000) }
    var pieces = 0
    queue.read { _, _ in pieces += 1 }
    #expect(pieces == 1024)
    queue.write(piece.span, places: 1, position: 0, sampleRate: 48_000)
    queue.read { _, _ in pieces += 1 }
    #expect(pieces == 1025)
  }

  @Test func `what is heard on a line is kept for it, and what is not is not`() throws {
    let network = VirtualNetwork()
    let nodes = try ["Anna", "Bert"].enumerated().map { index, name in
      try VirtualNode(name, at: .host(index + 1), beat: VirtualNode.Beat())
    }
    for node in nodes { network.add(node) }
    var tone = Tone(hertz: 440)
    tone.amplitude = 0.1
    nodes[0].mic = tone.sample
    let rig = LineRig(nodes, network)
    for node in nodes { for other in nodes where other !== node { try node.admit(other, network) } }
    let (stage, board) = (StationLinesTests.name("stage"), StationLinesTests.name("board"))
    var random = SplitMix64(seed: 4)
    try rig.change(0) {
      try $0.setTalk(false)
      try $0.makeLine(stage)
      try $0.makePrivateLine(board, PrivateLineID(using: &random))
      try $0.setMember(nodes[1].node, isOn: true, ofPrivateLine: board)
    }
    try rig.change(1) {
      try $0.joinLine(stage)
      try $0.join(board, isPrivate: false)
    }
    for _ in 0..<3 { try rig.change(1) { _ in } }
    network.run(seconds: 2)
    var memory = AgainMemory()
    func listen() -> [String: Double] {
      nodes[1].station.taps.again.read { memory.take($0, $1, nowNanoseconds: 0) }
      return Dictionary(
        uniqueKeysWithValues: rig.desks[1].places.map { place, name in
          let pcm = memory.last(0.5, at: place, sampleRate: 48_000)
          return (name.text, pcm.isEmpty ? 0 : tone.level(in: pcm[...]))
        })
    }
    _ = listen()
    for line in [stage, board] {
      memory = AgainMemory()
      try rig.change(0) { try $0.press(line, nowNanoseconds: 0) }
      network.run(seconds: 1)
      try rig.change(0) { try $0.release(line, nowNanoseconds: 5 * Self.second) }
      let levels = listen()
      #expect(levels[line.text] ?? 0 > 0.03, "\(levels)")
      #expect(levels.allSatisfy { $0.key == line.text || $0.value < 0.0001 }, "\(levels)")
      network.run(seconds: 0.5)
      _ = listen()
    }
    // What is not listened to is not kept.
    try rig.change(1) { try $0.setListening(false, to: stage) }
    memory = AgainMemory()
    try rig.change(0) { try $0.press(stage, nowNanoseconds: 20 * Self.second) }
    network.run(seconds: 1)
    #expect(listen().values.allSatisfy { $0 == 0 })
  }
}
