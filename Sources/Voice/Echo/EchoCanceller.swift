/// Takes out of the microphone what the loudspeakers of the own station say: a filter that learns the room, and what
/// takes out the rest.
///
/// It listens all the time and treats the sound as long as there is echo: with ``Mode/on`` it takes it for granted that
/// there is until some seconds of what is played say otherwise, with ``Mode/auto`` that there is not. 10 ms late.
final class EchoCanceller: BlockEngine {
  /// When it treats the sound.
  enum Mode: Sendable, Hashable {
    /// Once it has found echo.
    case auto
    /// From the first word.
    case on
  }

  private enum Finding {
    /// There is echo once the filter was right about it in so many blocks more than not, while something was played;
    /// there is none once it was wrong in so many more than right.
    static let blocks = 30
    static let most = 300
  }

  let delayFrames: Int
  private let filter: EchoFilter
  private let rest: EchoResidual
  private let (left, right): (FloatRoom, FloatRoom)
  private let (last, treated): (FloatRoom, FloatRoom)
  private var heardFrames = 0
  private var beginnings = 0
  private var evidence: Int
  private var share: Float
  /// Whether there is echo.
  private(set) var isFound: Bool

  init(_ mode: Mode, blockFrames: Int, sampleRate: Int) {
    delayFrames = blockFrames
    filter = EchoFilter(blockFrames: blockFrames, sampleRate: sampleRate)
    rest = EchoResidual(
      transform: filter.transform, blockFrames: blockFrames, sampleRate: sampleRate)
    (left, right) = (FloatRoom(count: blockFrames), FloatRoom(count: blockFrames))
    (last, treated) = (FloatRoom(count: blockFrames), FloatRoom(count: blockFrames))
    isFound = mode == .on
    evidence = mode == .on ? Finding.most : 0
    share = mode == .on ? 1 : 0
  }

  func hear(_ left: Span<Float>, _ right: Span<Float>) {
    let count = min(left.count, right.count, self.left.count - heardFrames)
    for index in 0..<count {
      self.left[heardFrames + index] = Self.sound(left[index])
      self.right[heardFrames + index] = Self.sound(right[index])
    }
    heardFrames += count
  }

  private static func sound(_ sample: Float) -> Float {
    sample.isFinite ? min(4, max(-4, sample)) : 0
  }

  func process(_ block: inout MutableSpan<Float>) {
    for index in heardFrames..<left.count { (left[index], right[index]) = (0, 0) }
    heardFrames = 0
    filter.run(block.span, left: left, right: right)
    look()
    if filter.beginnings != beginnings {
      beginnings = filter.beginnings
      rest.forget()
    }
    rest.isEchoPossible = filter.isFarHeard
    rest.run(
      error: filter.error, estimate: filter.estimate, residual: filter.residual, into: treated)
    let wanted: Float = isFound ? 1 : 0
    let step = (wanted - share) / Float(block.count)
    for index in 0..<block.count {
      let untreated = last[index]
      last[index] = block[index]
      share += step
      block[index] = untreated + share * (treated[index] - untreated)
    }
    share = wanted
  }

  /// There is echo while the filter is right about it.
  private func look() {
    guard filter.isFarHeard else { return }
    evidence = min(Finding.most, max(0, evidence + (filter.isRight ? 1 : -1)))
    isFound = evidence > (isFound ? 0 : Finding.blocks)
  }
}
