public import Audio
internal import Glibc

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
  /// The disk of this folder has not answered for a while; what becomes of the files is not known.
  case noAnswer(path: String)
  /// No memory, or no encoder.
  case audio(AudioError)
  /// libogg had no memory.
  case ogg(path: String)

  /// Whether it concerns all files of a take, and not only the one that it happened to.
  var concernsAll: Bool {
    switch self {
    case .folderGone, .sizeLimit, .spaceFloor, .noAnswer: true
    case .system(_, _, let errorNumber): [ENOSPC, EDQUOT, EROFS].contains(errorNumber)
    case .audio, .ogg: false
    }
  }
}
