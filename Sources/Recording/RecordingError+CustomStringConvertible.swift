internal import Glibc

extension RecordingError: CustomStringConvertible {
  /// One line: what happened, and what can be done about it.
  public var description: String {
    switch self {
    case .system(let attempt, let path, let errorNumber):
      "cannot \(attempt) \(path): \(Self.words(errorNumber))"
    case .folderGone(let path): "the folder is gone: \(path)"
    case .sizeLimit(let bytes):
      "the size limit of \(ByteCount.words(bytes)) is reached (--max-size)"
    case .spaceFloor(let bytes, let path):
      "less than \(ByteCount.words(bytes)) are free on the disk of \(path) (--keep-free)"
    case .noAnswer(let path): "the disk of \(path) does not answer"
    case .audio(let error): "\(error)"
    case .ogg(let path): "not enough memory to write \(path)"
    }
  }

  private static func words(_ errorNumber: Int32) -> String {
    switch errorNumber {
    case ENOSPC, EDQUOT: return "the disk is full"
    case EROFS: return "the disk is read-only"
    case EFBIG: return "too large a file for this file system; --format opus takes less"
    default: break
    }
    // Thread-safe since glibc 2.32: its buffer for unknown numbers is the thread's own.
    guard let words = unsafe strerror(errorNumber) else { return "error \(errorNumber)" }
    return unsafe String(cString: words)
  }
}
