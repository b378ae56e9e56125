/// What takes the loudspeakers out of a block; ``EchoCanceller`` says when that is heard.
protocol EchoEngine: AnyObject {
  /// For display.
  var name: String { get }
  /// How late the sound comes out.
  var delayFrames: Int { get }
  /// Blocks, while something is played, in which it may find no echo before there is none.
  var patienceBlocks: Int { get }
  /// Whether anything that was played may yet be heard.
  var isFarHeard: Bool { get }
  /// Whether what it takes for echo is in the microphone, as far as can be told.
  var isRight: Bool { get }

  /// Takes a block of the microphone and of both loudspeakers, and gives one, finite.
  func run(_ microphone: Span<Float>, left: FloatRoom, right: FloatRoom, into treated: FloatRoom)
}

/// Takes out of the microphone what the loudspeakers of the own station say, by one engine or another.
///
/// It listens all the time and treats the sound as long as there is echo: with ``Mode/on`` it takes it for granted that
/// there is until some seconds of what is played say otherwise, with ``Mode/auto`` that there is not.
final class EchoCanceller: BlockEngine {
  /// When it treats the sound.
  enum Mode: Sendable, Hashable {
    /// Once it has found echo.
    case auto
    /// From the first word.
    case on
  }

  /// There is echo once the engine was right about it in so many blocks more than not, while something was played;
  /// there is none once it was wrong in so many more than right as it is patient.
  private static let findingBlocks = 30

  let delayFrames: Int
  private let engine: any EchoEngine
  private let (left, right): (FloatRoom, FloatRoom)
  private let treated: FloatRoom
  private var untreated: DelayLine
  private var heardFrames = 0
  private var evidence: Int
  private var share: Float
  /// Whether there is echo.
  private(set) var isFound: Bool
  /// Which engine it is.
  var engineName: String { engine.name }

  init(_ mode: Mode, _ engine: any EchoEngine, blockFrames: Int) {
    self.engine = engine
    delayFrames = engine.delayFrames
    untreated = DelayLine(frames: engine.delayFrames)
    (left, right) = (FloatRoom(count: blockFrames), FloatRoom(count: blockFrames))
    treated = FloatRoom(count: blockFrames)
    isFound = mode == .on
    evidence = mode == .on ? engine.patienceBlocks : 0
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
    engine.run(block.span, left: left, right: right, into: treated)
    look()
    let wanted: Float = isFound ? 1 : 0
    let step = (wanted - share) / Float(block.count)
    for index in 0..<block.count {
      let late = untreated.pass(block[index])
      share += step
      block[index] = late + share * (treated[index] - late)
    }
    share = wanted
  }

  /// There is echo while the engine is right about it.
  private func look() {
    guard engine.isFarHeard else { return }
    evidence = min(engine.patienceBlocks, max(0, evidence + (engine.isRight ? 1 : -1)))
    isFound = evidence > (isFound ? 0 : Self.findingBlocks)
  }
}

/// Comlink's own engine, a block late: a filter that learns the room, and what takes out the rest.
final class LearntEcho: EchoEngine {
  let name = "own"
  let delayFrames: Int
  let patienceBlocks = 300
  private let filter: EchoFilter
  private let rest: EchoResidual
  private var beginnings = 0

  init(blockFrames: Int, sampleRate: Int) {
    delayFrames = blockFrames
    filter = EchoFilter(blockFrames: blockFrames, sampleRate: sampleRate)
    rest = EchoResidual(
      transform: filter.transform, blockFrames: blockFrames, sampleRate: sampleRate)
  }

  var isFarHeard: Bool { filter.isFarHeard }
  var isRight: Bool { filter.isRight }

  func run(_ microphone: Span<Float>, left: FloatRoom, right: FloatRoom, into treated: FloatRoom) {
    filter.run(microphone, left: left, right: right)
    if filter.beginnings != beginnings {
      beginnings = filter.beginnings
      rest.forget()
    }
    rest.isEchoPossible = filter.isFarHeard
    rest.run(
      error: filter.error, estimate: filter.estimate, residual: filter.residual, into: treated)
  }
}
