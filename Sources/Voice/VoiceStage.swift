/// One engine of the chain: frames in, as many frames out, some of them late.
///
/// All memory is allocated when it is made. What it is given is finite; what it gives must be.
protocol VoiceStage: AnyObject {
  /// How late the sound comes out.
  var delayFrames: Int { get }
  /// How much it has to hear before it is as good as it gets, its delay included: as long it is not listened to.
  var warmUpFrames: Int { get }

  /// Treats at most a block of 10 ms in place; pieces of a block end where it ends.
  ///
  /// - Parameter isSpeech: whether the detector hears a voice.
  func process(_ frames: inout MutableSpan<Float>, isSpeech: Bool)

  /// Takes what the loudspeakers play of the frames that it treats next; silence where it is not called.
  func hear(_ left: Span<Float>, _ right: Span<Float>)

  /// Is there before any sound came.
  func begin()

  /// Goes on where another stage of its kind, with other settings, was.
  func follow(_ former: any VoiceStage)
}

extension VoiceStage {
  var warmUpFrames: Int { delayFrames }
  func begin() {}
  func follow(_ former: any VoiceStage) {}
  func hear(_ left: Span<Float>, _ right: Span<Float>) {}
}

/// An engine that takes a whole block of 10 ms at once.
protocol BlockEngine: AnyObject {
  /// How late the sound comes out of the engine itself.
  var delayFrames: Int { get }

  /// Takes what the loudspeakers play of the next frames of a block.
  func hear(_ left: Span<Float>, _ right: Span<Float>)

  /// Treats a block in place.
  func process(_ block: inout MutableSpan<Float>)
}

extension BlockEngine {
  func hear(_ left: Span<Float>, _ right: Span<Float>) {}
}

/// An engine of blocks behind frames of any length: these are gathered, which takes as long as the shortest of them are
/// shorter than a block.
final class BlockStage: VoiceStage {
  let delayFrames: Int
  let warmUpFrames: Int
  let engine: any BlockEngine
  private var blocks: GatheredBlocks

  /// - Parameters:
  ///   - grainFrames: what the length of each piece is a multiple of; it divides a block.
  ///   - share: how much of the engine is heard, in parts.
  init(_ engine: any BlockEngine, blockFrames: Int, grainFrames: Int, share: Double, warmUp: Int) {
    self.engine = engine
    delayFrames = blockFrames - grainFrames + engine.delayFrames
    warmUpFrames = delayFrames + warmUp
    blocks = GatheredBlocks(
      blockFrames: blockFrames, silentFrames: blockFrames - grainFrames,
      delayFrames: engine.delayFrames, share: Float(share))
  }

  func hear(_ left: Span<Float>, _ right: Span<Float>) { engine.hear(left, right) }

  func process(_ frames: inout MutableSpan<Float>, isSpeech: Bool) {
    blocks.process(&frames, by: engine)
  }
}

/// The frames of a ``BlockStage``: a value, of which each piece is one access.
private struct GatheredBlocks {
  private let blockFrames: Int
  private let share: Float
  /// The block that is gathered.
  private var block: [Float]
  private var gathered = 0
  /// What is to come out, the oldest at `head`: a ring of two blocks.
  private var ready: [Float]
  private var head = 0
  private var count: Int
  /// The sound before the engine, as late as it comes out of it.
  private var untreated: DelayLine

  /// So many frames of silence come out first.
  init(blockFrames: Int, silentFrames: Int, delayFrames: Int, share: Float) {
    (self.blockFrames, self.share, count) = (blockFrames, share, silentFrames)
    block = [Float](repeating: 0, count: blockFrames)
    ready = [Float](repeating: 0, count: 2 * blockFrames)
    untreated = DelayLine(frames: delayFrames)
  }

  mutating func process(_ frames: inout MutableSpan<Float>, by engine: any BlockEngine) {
    for index in 0..<frames.count {
      block[gathered] = frames[index]
      gathered += 1
      if gathered == blockFrames { treat(by: engine) }
    }
    for index in 0..<frames.count {
      // Pieces shorter than agreed cost a hole, once.
      guard count > 0 else {
        frames[index] = 0
        continue
      }
      frames[index] = ready[head]
      head = head + 1 == ready.count ? 0 : head + 1
      count -= 1
    }
  }

  private mutating func treat(by engine: any BlockEngine) {
    gathered = 0
    var tail = (head + count) % ready.count
    let first = tail
    // What was not taken of two blocks, by pieces other than agreed, is given up.
    guard count + blockFrames <= ready.count else { return }
    for index in 0..<blockFrames {
      ready[tail] = untreated.pass(block[index])
      tail = tail + 1 == ready.count ? 0 : tail + 1
    }
    count += blockFrames
    var span = block.mutableSpan
    engine.process(&span)
    tail = first
    for index in 0..<blockFrames {
      let treated = block[index].isFinite ? block[index] : 0
      ready[tail] += share * (treated - ready[tail])
      tail = tail + 1 == ready.count ? 0 : tail + 1
    }
  }
}

/// Sound that comes out so many frames later.
struct DelayLine {
  private var past: [Float]
  private var head = 0

  init(frames: Int) { past = [Float](repeating: 0, count: frames) }

  /// Takes a frame, and gives the one that is due.
  mutating func pass(_ sample: Float) -> Float {
    guard !past.isEmpty else { return sample }
    let old = past[head]
    past[head] = sample
    head = head + 1 == past.count ? 0 : head + 1
    return old
  }
}
