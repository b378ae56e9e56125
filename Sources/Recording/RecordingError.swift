public import Audio
internal import Glibc
internal import System

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

extension RecordingError: CustomStringConvertible {
  /// One line: what happened, and what can be done about it.
  public var description: String {
    switch self {
    case .system(let attempt, let path, let errorNumber):
      "cannot \(attempt) \(path): \(Self.words(errorNumber))"
    case .folderGone(let path): "the folder no longer exists: \(path)"
    case .sizeLimit(let bytes):
      "the recording reached its size limit of \(ByteCount.words(bytes)) (--max-size)"
    case .spaceFloor(let bytes, let path):
      "less than \(ByteCount.words(bytes)) free on the disk of \(path) (--keep-free)"
    case .noAnswer(let path): "the disk of \(path) does not respond"
    case .audio(let error): "\(error)"
    case .ogg(let path): "not enough memory to write \(path)"
    }
  }

  private static func words(_ errorNumber: Int32) -> String {
    switch errorNumber {
    case ENOSPC, EDQUOT: "the disk is full"
    case EROFS: "the disk is read-only"
    case EFBIG: "the file is too large for this file system; --format opus takes less"
    default: errorWords(errorNumber)
    }
  }
}
