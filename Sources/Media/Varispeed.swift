/// Leads a signal that repeats itself to be some frames later or earlier, by reading it a little slower or faster.
///
/// 2900 ppm are five cents, which nobody hears of a voice, and take out 1 ms in a third of a second. Who has to be
/// later has no such time, as packets are late meanwhile: 1 %. What would take more than a second
/// is done in one. Between frames the cubic of the four around is read (Catmull and Rom), so up to two frames wait for
/// what comes after them. Neither may they be missed: who wants to be later gains four frames in the first 1.25 ms, and
/// who wants to be earlier gives the last four up in as long. In a tone of 440 Hz that is 0.12 of it beside it, in one
/// of 1 kHz 0.26.
struct Varispeed {
  private static let (laterShare, earlierShare) = (1e-2, 2.9e-3)
  private static let mostFrames = MediaClock.framesPerSecond
  /// Frames after a place that its cubic needs.
  private static let aheadFrames = 2
  /// Gained or given up at once, within so many frames.
  private static let (quickShift, quickFrames) = (4, 60)
  /// What is led by less is led by so much.
  static let leastFrames = 8

  /// Frames to be written, and how far apart they are read.
  private struct Stretch {
    var left: Int
    let step: Double

    /// Leads by so many frames in the frames that are left.
    init(_ left: Int, shift: Double) {
      self.left = left
      step = 1 - shift / Double(left)
    }

    /// Writes from the position on; false: not all can be read yet.
    mutating func write(
      _ line: Span<Float>, end: Int, from position: inout Double,
      into pcm: inout MutableSpan<Float>, at written: inout Int
    ) -> Bool {
      while left > 0 {
        let index = Int(position)
        guard index + Varispeed.aheadFrames < end else { return false }
        pcm[written] = Varispeed.read(line, index, Float(position - Double(index)))
        written += 1
        left -= 1
        position += step
      }
      return true
    }
  }

  /// Whether it is to be earlier.
  private let isRemoval: Bool
  private var quick: Stretch
  private var slow: Stretch
  /// Where in the line the next frame is read.
  private var position: Double

  /// Leads by `frames`, at least `leastFrames`, above 0: to be later, from a place in the line on.
  init(frames: Int, from place: Int) {
    isRemoval = frames < 0
    let quickly = Double(isRemoval ? -Self.quickShift : Self.quickShift)
    quick = Stretch(Self.quickFrames, shift: quickly)
    let shift = Double(frames) - quickly
    let share = isRemoval ? Self.earlierShare : Self.laterShare
    let calm = Int((abs(shift) / share).rounded())
    slow = Stretch(min(max(1, calm), Self.mostFrames), shift: shift)
    position = Double(place)
  }

  /// Whether the signal has been led to where it should be.
  var isOver: Bool { slow.left == 0 && quick.left == 0 }

  /// Frames before a place that wait for what comes after them.
  func heldFrames(before place: Int) -> Int { max(0, Int((Double(place) - position).rounded())) }

  /// The line has moved down by so many frames.
  mutating func rebase(by frames: Int) { position -= Double(frames) }

  /// Writes what of the line, up to `end`, can be read; returns the frames written.
  mutating func write(_ line: Span<Float>, end: Int, into pcm: inout MutableSpan<Float>) -> Int {
    var written = 0
    let wasSlow = slow.left > 0
    guard
      isRemoval || quick.write(line, end: end, from: &position, into: &pcm, at: &written),
      slow.write(line, end: end, from: &position, into: &pcm, at: &written)
    else { return written }
    // At a whole frame again, but for rounding.
    position.round()
    let needed = Double(Self.quickFrames + Self.quickShift + Self.aheadFrames)
    if isRemoval && !wasSlow && position + needed < Double(end) {
      _ = quick.write(line, end: end, from: &position, into: &pcm, at: &written)
    }
    for index in min(Int(position.rounded()), end)..<end {
      pcm[written] = line[index]
      written += 1
    }
    position = Double(end)
    return written
  }

  private static func read(_ line: Span<Float>, _ index: Int, _ part: Float) -> Float {
    let (before, here) = (line[index - 1], line[index])
    let (next, after) = (line[index + 1], line[index + 2])
    let slope = (next - before) / 2
    let bend = before - 2.5 * here + 2 * next - after / 2
    let twist = (after - before) / 2 + 1.5 * (here - next)
    return ((twist * part + bend) * part + slope) * part + here
  }
}
