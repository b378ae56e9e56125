/// Sound that stands for one packet that has not come, of which little is played at a time.
struct ConcealedPacket {
  /// 10 ms: of longer packets each is worth waiting for.
  static let mostFrames = 480

  private var sound = [Float](repeating: 0, count: mostFrames)
  /// Of two channels; empty: there is one.
  private var side: [Float] = []
  private var frames = 0
  private var takenFrames = 0

  /// Whether what was decoded last is this sound, taken or not.
  private(set) var isOpen = false

  /// Begins with what `invent` writes to so many frames.
  mutating func begin(_ count: Int, _ invent: (inout MutableSpan<Float>) -> Int) {
    var span = sound.mutableSpan
    var place = span._mutatingExtracting(0..<count)
    frames = max(0, invent(&place))
    takenFrames = 0
    isOpen = true
  }

  /// Writes what comes next to the start of `pcm`; returns the frames written, 0 when nothing is left.
  mutating func take(into pcm: inout MutableSpan<Float>) -> Int {
    let count = min(frames - takenFrames, pcm.count)
    for index in 0..<count { pcm[index] = sound[takenFrames + index] }
    takenFrames += count
    return count
  }

  /// Has a side, too, from now on; allocates.
  mutating func openSide() { side = [Float](repeating: 0, count: Self.mostFrames) }

  /// Has none again.
  mutating func closeSide() { side = [] }

  /// Lets `fill` write the side of what it began with.
  mutating func fillSide(_ fill: (inout MutableSpan<Float>) -> Void) {
    let range = 0..<frames
    guard !side.isEmpty, !range.isEmpty else { return }
    var span = side.mutableSpan
    var place = span._mutatingExtracting(range)
    fill(&place)
  }

  /// Writes the side of the frames taken last to the start of `pcm`.
  func takeSide(ofLast count: Int, into pcm: inout MutableSpan<Float>) {
    guard !side.isEmpty, count <= takenFrames else { return }
    for index in 0..<min(count, pcm.count) { pcm[index] = side[takenFrames - count + index] }
  }

  /// Something else is decoded: what is left is for nobody.
  mutating func forget() { (frames, takenFrames, isOpen) = (0, 0, false) }
}
