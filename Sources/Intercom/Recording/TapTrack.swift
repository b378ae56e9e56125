import Audio

/// One peer's sound on its way to a recorder, onto a tape of its own; buses come by `RecordingBus`.
///
/// Loop thread only.
final class TapTrack {
  let tap: RecordingTap
  private let talker: String
  private let name: String
  private var tape: SoundTape?
  private var cursor = TapCursor()
  /// Where the next frames belong, by what the ring held before they were written.
  private var estimate: Int64 = 0
  /// Of the tap, when the last frames came.
  private var openings: Int

  /// A track of a talker.
  ///
  /// - Parameters:
  ///   - talker: what it is known by when it comes back.
  ///   - name: what its file is called.
  init(tap: RecordingTap, talker: String, name: String) {
    self.tap = tap
    self.talker = talker
    self.name = name
    openings = tap.openings
    tape = tap.tape(of: talker, called: name)
  }

  /// Looks where frames belong that are about to be written to a ring that holds `fillFrames`.
  func prepare(fillFrames: Int) { estimate = tap.nextCallbackPosition() + Int64(fillFrames) }

  /// Takes frames that were written to the ring.
  ///
  /// - Parameter isContinuous: whether the ring held some before.
  func keep(_ pcm: Span<Float>, isContinuous: Bool) {
    guard tap.isOpen else { return }
    if tap.openings != openings {
      // What comes is of another time, and may be at another rate.
      openings = tap.openings
      cursor.interrupt()
    }
    let position = cursor.place(pcm.count, estimate: estimate, isContinuous: isContinuous)
    tap.note(end: position + Int64(pcm.count))
    keepOwn(pcm, at: position)
  }

  private func keepOwn(_ pcm: Span<Float>, at position: Int64) {
    guard tap.deck.keepsTalkers else { return }
    if tape == nil { tape = tap.tape(of: talker, called: name) }
    if let tape {
      tape.write(pcm, at: position, floor: tap.floor)
    } else {
      tap.deck.lose(frames: pcm.count)
    }
  }
}

/// Where the next frames of one stream belong on the time line.
///
/// Two things are known when frames come: that they follow the last ones, if the ring between the callback and the loop
/// has not run dry since; and an estimate from the count of callbacks and the ring's fill. The estimate is off by a
/// period if it was made while a callback ran, so a stream goes on where it was until ``disagreements`` estimates in a
/// row say otherwise, as after frames were lost.
struct TapCursor {
  /// Estimates in a row that move a stream: no callback runs that often just then.
  private static let disagreements = 8

  /// Where the frames after the last ones belong; nil: nothing came yet.
  private(set) var next: Int64?
  private var differing = 0

  /// The position of `frameCount` frames.
  ///
  /// - Parameters:
  ///   - estimate: their position by callbacks and fill.
  ///   - isContinuous: whether they follow the last ones in the ring.
  mutating func place(_ frameCount: Int, estimate: Int64, isContinuous: Bool) -> Int64 {
    let position = position(estimate, isContinuous: isContinuous)
    next = position + Int64(frameCount)
    return position
  }

  /// Takes the next frames as they are estimated.
  mutating func interrupt() { self = TapCursor() }

  private mutating func position(_ estimate: Int64, isContinuous: Bool) -> Int64 {
    guard let next else { return estimate }
    guard isContinuous else {
      differing = 0
      return max(estimate, next)
    }
    differing = estimate == next ? 0 : differing + 1
    guard differing >= Self.disagreements else { return next }
    differing = 0
    return estimate
  }
}
