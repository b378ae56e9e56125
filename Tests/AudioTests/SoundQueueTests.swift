import Audio
import Testing

@Suite(.timeLimit(.minutes(5))) struct SoundQueueTests {
  private static func read(_ queue: SoundQueue, _ count: Int) -> [Float] {
    var frames = [Float](repeating: -1, count: count)
    var span = frames.mutableSpan
    let taken = queue.read(into: &span)
    return Array(frames.prefix(taken))
  }

  @Test func `frames come out as they went in, past the end of its memory`() throws {
    let queue = try SoundQueue(leastFrames: 100)
    #expect(queue.capacityFrames == 128)
    var (next, seen): (Float, Float) = (0, 0)
    for count in [1, 100, 27, 128, 64, 90, 128] {
      let frames = (0..<count).map { next + Float($0) }
      #expect(queue.write(frames.span) == count)
      next += Float(count)
      for frame in Self.read(queue, 200) {
        #expect(frame == seen)
        seen += 1
      }
    }
    #expect(seen == next && queue.lostFrames == 0)
  }

  @Test func `what has no room is counted, and what is there stays`() throws {
    let queue = try SoundQueue(leastFrames: 8)
    let frames = (0..<11).map(Float.init)
    #expect(queue.write(frames.span) == 8)
    #expect(queue.lostFrames == 3 && queue.roomFrames == 0)
    #expect(Self.read(queue, 3) == [0, 1, 2])
    #expect(queue.roomFrames == 3 && queue.availableFrames == 5)
  }

  @Test func `what was cut off has sounded, as far as anybody waits for it`() throws {
    let queue = try SoundQueue(leastFrames: 64)
    let frames = [Float](repeating: 1, count: 40)
    queue.write(frames.span)
    #expect(Self.read(queue, 10).count == 10)
    queue.note(waitingFrames: 4)
    #expect(queue.soundedFrames == 6)
    #expect(!queue.passUnwanted())
    queue.cutOff()
    queue.write(frames.span.extracting(..<5))
    #expect(queue.passUnwanted() && !queue.passUnwanted())
    #expect(queue.soundedFrames == 40 && queue.availableFrames == 5)
  }

  @Test func `two threads lose nothing`() async throws {
    let queue = try SoundQueue(leastFrames: 256)
    let total = 200_000
    let writer = Task.detached {
      var next = 0
      while next < total {
        let count = min(97, total - next, queue.roomFrames)
        let frames = (0..<count).map { Float(next + $0) }
        next += queue.write(frames.span)
        if count == 0 { await Task.yield() }
      }
    }
    var seen = 0
    while seen < total {
      let frames = Self.read(queue, 61)
      for frame in frames {
        guard frame == Float(seen) else {
          Issue.record("\(frame) in place of \(seen)")
          return
        }
        seen += 1
      }
      if frames.isEmpty { await Task.yield() }
    }
    await writer.value
    #expect(queue.lostFrames == 0)
  }
}
