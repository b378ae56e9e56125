/// Whether what an ``EchoFilter`` takes for echo is in the microphone: by how the two go together over 0.1 s, which
/// somebody near does not change.
struct EchoTruth {
  private enum Shape {
    /// So much of it being there says that it is right, and less, so many blocks on end, that the room is another one,
    /// or that there is no echo at all.
    static let (truth, falsehood, blocks): (Float, Float, Int) = (0.5, 0.35, 8)
    /// Each time that it was wrong it is so much surer that there is no echo; it is no more once it was right for long.
    static let doubt: Float = 0.3
    /// Then it is another room, and so much less is taken for known than at first: it is learned faster for that, and
    /// what may be left of the echo is taken out sooner.
    static let otherRoom: Float = 10
    static let leastPrior: Float = 0.003
    static let rightBlocks = 100
    static let smoothing: Float = 0.1
  }

  /// How little is taken for known when it begins anew, in parts.
  var prior: Float = 1
  private var (heard, echo, both): (Float, Float, Float) = (0, 0, 0)
  private var (falseBlocks, rightBlocks) = (0, 0)

  /// As far as can be told.
  var isRight: Bool { echo > 1e-5 * heard && echo > 1e-9 && both > Shape.truth * echo }

  /// Takes a block, and says whether the filter has to begin anew.
  mutating func isFalse(_ microphone: Span<Float>, _ estimate: FloatRoom) -> Bool {
    var (heardNow, echoNow, bothNow): (Float, Float, Float) = (0, 0, 0)
    for index in 0..<microphone.count {
      heardNow += microphone[index] * microphone[index]
      echoNow += estimate[index] * estimate[index]
      bothNow += microphone[index] * estimate[index]
    }
    heard += Shape.smoothing * (heardNow - heard)
    echo += Shape.smoothing * (echoNow - echo)
    both += Shape.smoothing * (bothNow - both)
    rightBlocks = isRight ? min(rightBlocks + 1, Shape.rightBlocks) : 0
    if rightBlocks == Shape.rightBlocks { prior = Shape.otherRoom / Shape.doubt }
    let isWrong = echo > 0.05 * heard && both < Shape.falsehood * echo
    falseBlocks = isWrong ? falseBlocks + 1 : 0
    guard falseBlocks >= Shape.blocks || !echo.isFinite else { return false }
    prior = max(Shape.leastPrior, prior * Shape.doubt)
    (echo, both, falseBlocks) = (0, 0, 0)
    return true
  }
}
