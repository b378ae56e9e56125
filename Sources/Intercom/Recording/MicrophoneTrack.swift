import Audio

/// The microphone's track of a recording.
///
/// While something else is captured in its place, for a test or as a peer's voice is sent back, the tape stays silent:
/// its file is this talker's. The audio thread changes over at the start of a period, once its gate has closed, and
/// opens it again then; so what comes later than the gate takes to close is left out, and what
/// comes later than it takes to change back is let in, faded.
///
/// Loop thread only.
final class MicrophoneTrack {
  /// The gate closes in 5 ms (rt_microphone.c).
  private static let gatesPerSecond = 200

  private let tape: SoundTape?
  private var sampleRate: Int
  private var cursor = TapCursor()
  /// Positions at which something else is captured.
  private var absence: Range<Int64>
  private var ramp: GainRamp

  /// A track onto that tape, if there is one.
  init(tape: SoundTape?, sampleRate: Int, isCaptured: Bool) {
    self.tape = tape
    self.sampleRate = sampleRate
    absence = isCaptured ? 0..<0 : 0..<Int64.max
    ramp = GainRamp(isCaptured ? 1 : 0, sampleRate: sampleRate)
  }

  /// Where the frames after the last ones belong; nil: nothing came yet.
  var next: Int64? { cursor.next }

  /// Takes frames that were captured.
  func keep(_ pcm: Span<Float>, estimate: Int64, floor: Int64) {
    let position = cursor.place(pcm.count, estimate: estimate, isContinuous: true)
    guard let tape else { return }
    let gone = absence.clamped(to: position..<position + Int64(pcm.count))
    let (first, last) = (Int(gone.lowerBound - position), Int(gone.upperBound - position))
    ramp.put(pcm.extracting(..<first), on: tape, at: position, floor: floor)
    if first < last { ramp = GainRamp(0, sampleRate: sampleRate) }
    guard last < pcm.count else { return }
    ramp.target = 1
    ramp.put(pcm.extracting(last...), on: tape, at: position + Int64(last), floor: floor)
  }

  /// Switches to another source, or back to the microphone.
  func setCaptured(_ isCaptured: Bool, nextCallback: Int64, periodFrames: Int) {
    let gateFrames = Int64(sampleRate / Self.gatesPerSecond)
    if isCaptured {
      guard absence.upperBound == .max else { return }
      // One period as the callback may be running, one as it changes at the start of the next.
      let end = nextCallback + gateFrames + Int64(2 * periodFrames)
      absence = absence.lowerBound..<max(absence.lowerBound, end)
    } else if absence.upperBound != .max {
      let isOver = absence.upperBound <= nextCallback
      absence = (isOver ? nextCallback + gateFrames : absence.lowerBound)..<Int64.max
    }
  }

  /// Marks a discontinuity: the next frames may also have another rate.
  func interrupt(sampleRate: Int) {
    cursor.interrupt()
    guard sampleRate != self.sampleRate else { return }
    self.sampleRate = sampleRate
    ramp = GainRamp(ramp.target, sampleRate: sampleRate)
  }
}
