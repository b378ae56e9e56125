public import Audio

/// Why a recording cannot begin, or ended by itself.
public enum RecordingError: Error, Hashable, Sendable {
  /// The operating system refused: what was tried with which path, and `errno`.
  case system(attempt: String, path: String, errorNumber: Int32)
  /// The folder that the take is written to was removed, or its disk taken away.
  case folderGone(path: String)
  /// The files have reached the most that they may take together.
  case sizeLimit(bytes: Int)
  /// The disk has less room left than it is to keep.
  case spaceFloor(bytes: Int, path: String)
  /// JACK runs at another rate than when the recording began, in hertz.
  case rateChanged(from: Int, to: Int)
  /// No memory, or no encoder.
  case audio(AudioError)
  /// libogg had no memory.
  case ogg(path: String)
}
