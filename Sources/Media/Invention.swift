/// Sound that stands for one packet that has not come, of which little is played at a time.
struct Invention {
  /// 10 ms: of longer packets each is worth waiting for.
  static let mostFrames = 480

  private var sound = [Float](repeating: 0, count: mostFrames)
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

  /// Something else is decoded: what is left is for nobody.
  mutating func forget() { (frames, takenFrames, isOpen) = (0, 0, false) }
}
