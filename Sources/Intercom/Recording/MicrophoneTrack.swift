import Audio

/// The microphone's track of a recording, as the talk key lets it through; what a test or a loop-back sends in its
/// place is in no file of this talker's.
///
/// Loop thread only.
final class MicrophoneTrack {
  private let tape: SoundTape?
  private var cursor = TapCursor()

  /// A track onto that tape, if there is one.
  init(tape: SoundTape?) { self.tape = tape }

  /// Where the frames after the last ones belong; nil: nothing came yet.
  var next: Int64? { cursor.next }

  /// Takes frames that were captured.
  func keep(_ pcm: Span<Float>, estimate: Int64, floor: Int64) {
    let position = cursor.place(pcm.count, estimate: estimate, isContinuous: true)
    tape?.write(pcm, at: position, floor: floor)
  }

  /// Marks a discontinuity: the next frames may also have another rate.
  func interrupt() { cursor.interrupt() }
}
