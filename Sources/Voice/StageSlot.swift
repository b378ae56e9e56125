/// A place in the chain: an engine or none, and the way from one to the next without a click.
///
/// The next one first hears as much as it needs, then takes over in 20 ms.
struct StageSlot {
  private static let fadeSeconds = 0.02

  private var present: (any VoiceStage)?
  private var next: (any VoiceStage)?
  private var isChanging = false
  /// Asked for while a change was under way; the last one only.
  private var waiting: (stage: (any VoiceStage)?, isThere: Bool) = (nil, false)
  /// To be freed by whoever changes something next, as that may take its time.
  private var former: (any VoiceStage)?
  private var warmUpFrames = 0
  private let step: Float
  private var position: Float = 0

  init(sampleRate: Int) { step = Float(1 / (Self.fadeSeconds * Double(sampleRate))) }

  /// How late the sound comes out, once what changes has changed.
  var delayFrames: Int {
    if waiting.isThere { return waiting.stage?.delayFrames ?? 0 }
    return (isChanging ? next : present)?.delayFrames ?? 0
  }

  /// The engine that is heard, or will be.
  var stage: (any VoiceStage)? { isChanging ? next : present }

  /// Whether it does anything.
  var isActive: Bool { present != nil || isChanging }

  /// Puts an engine there before any sound came.
  mutating func start(_ stage: (any VoiceStage)?) {
    present = stage
    stage?.begin()
  }

  /// Has another engine, or none, take over.
  ///
  /// - Returns: an engine that is no longer used.
  mutating func change(to stage: (any VoiceStage)?) -> (any VoiceStage)? {
    let old = former
    former = nil
    if isChanging {
      former = waiting.stage
      waiting = (stage, true)
    } else {
      begin(stage)
    }
    return old
  }

  private mutating func begin(_ stage: (any VoiceStage)?) {
    guard present != nil || stage != nil else { return }
    if let present { stage?.follow(present) }
    (next, isChanging, position) = (stage, true, 0)
    warmUpFrames = stage?.warmUpFrames ?? 0
  }

  /// What the loudspeakers play of the piece that comes next.
  func hear(_ left: Span<Float>, _ right: Span<Float>) {
    present?.hear(left, right)
    next?.hear(left, right)
  }

  /// Treats a piece in place; `scratch` is as long at least.
  mutating func process(
    _ frames: inout MutableSpan<Float>, isSpeech: Bool, scratch: inout MutableSpan<Float>
  ) {
    guard isChanging else {
      present?.process(&frames, isSpeech: isSpeech)
      return
    }
    for index in 0..<frames.count { scratch[index] = frames[index] }
    present?.process(&frames, isSpeech: isSpeech)
    var other = scratch._mutatingExtracting(..<frames.count)
    next?.process(&other, isSpeech: isSpeech)
    guard warmUpFrames <= 0 else {
      warmUpFrames -= frames.count
      return
    }
    for index in 0..<frames.count {
      position = min(1, position + step)
      let share = position * position * (3 - 2 * position)
      frames[index] += share * (other[index] - frames[index])
    }
    if position == 1 { finish() }
  }

  private mutating func finish() {
    former = present
    (present, next, isChanging) = (next, nil, false)
    guard waiting.isThere else { return }
    let stage = waiting.stage
    waiting = (nil, false)
    begin(stage)
  }
}
