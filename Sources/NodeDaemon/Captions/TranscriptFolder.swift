internal import Glibc
internal import System

/// The folder of transcripts: files that grow at their end, or are replaced as a whole.
///
/// What blocks; for a thread that may wait for a disk.
struct TranscriptFolder: Sendable {
  private static let fileMode: mode_t = 0o640
  private static let folderMode: mode_t = 0o750

  let path: String

  /// How long a file is; nil: there is none.
  func byteCount(of name: String) -> Int? {
    var facts = stat()
    let result = SystemCall.result { unsafe lstat("\(path)/\(name)", &facts) }
    return result < 0 ? nil : Int(facts.st_size)
  }

  /// Adds at the end of a file that is so long.
  ///
  /// When it throws, the file is as before, as far as that can be.
  ///
  /// - Returns: false: the file is not there, or is not so long any more, and nothing was written.
  func append(
    _ bytes: [UInt8], to name: String, of byteCount: Int
  ) throws(TranscriptProblem) -> Bool {
    let path = "\(path)/\(name)"
    // Without O_NONBLOCK, opening somebody's FIFO would wait for ever.
    let flags = O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK
    let result = SystemCall.result { unsafe open(path, flags) }
    guard result != -Int(ENOENT) else { return false }
    let file = Descriptor(owning: Int32(try check(result, path)))
    var facts = stat()
    try check(SystemCall.result { unsafe fstat(file.number, &facts) }, path)
    guard facts.st_mode & S_IFMT == S_IFREG, Int(facts.st_size) == byteCount else { return false }
    do throws(TranscriptProblem) {
      try write(bytes, to: file.number, path)
      try check(SystemCall.result { fdatasync(file.number) }, path)
    } catch {
      _ = ftruncate(file.number, off_t(byteCount))
      throw error
    }
    return true
  }

  /// Writes a file anew; who reads it, or cuts the power, finds the former or the new one.
  func replace(_ name: String, with bytes: [UInt8]) throws(TranscriptProblem) {
    let made = SystemCall.result { unsafe mkdir(path, Self.folderMode) }
    guard made >= 0 || made == -Int(EEXIST) else {
      throw TranscriptProblem(path: path, code: Int32(truncatingIfNeeded: -made))
    }
    let (draft, final) = ("\(path)/.\(name).new", "\(path)/\(name)")
    _ = unsafe unlink(draft)
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
    let opened = SystemCall.result { unsafe open(draft, flags, Self.fileMode) }
    let file = Descriptor(owning: Int32(try check(opened, final)))
    do throws(TranscriptProblem) {
      try write(bytes, to: file.number, final)
      try check(SystemCall.result { fsync(file.number) }, final)
      try check(SystemCall.result { unsafe rename(draft, final) }, final)
    } catch {
      _ = unsafe unlink(draft)
      throw error
    }
    let flagsOfFolder = O_RDONLY | O_DIRECTORY | O_CLOEXEC
    let folder = Descriptor(
      owning: Int32(try check(SystemCall.result { unsafe open(path, flagsOfFolder) }, path)))
    // Some file systems write names by themselves, and have nothing to sync in a directory.
    let synced = SystemCall.result { fsync(folder.number) }
    if synced != -Int(EINVAL) { try check(synced, path) }
  }

  private func write(
    _ bytes: [UInt8], to file: Int32, _ path: String
  ) throws(TranscriptProblem) {
    var written = 0
    while written < bytes.count {
      let count = unsafe bytes.withUnsafeBytes { all in
        let rest = unsafe UnsafeRawBufferPointer(rebasing: all[written...])
        return SystemCall.result { unsafe Glibc.write(file, rest.baseAddress, rest.count) }
      }
      written += try check(count, path)
    }
  }

  @discardableResult
  private func check(_ result: Int, _ path: String) throws(TranscriptProblem) -> Int {
    guard let code = SystemCall.code(result) else { return result }
    throw TranscriptProblem(path: path, code: code)
  }
}

/// Why transcripts cannot be written.
struct TranscriptProblem: Error, Hashable, Sendable {
  let path: String
  let code: Int32
}

extension TranscriptProblem: CustomStringConvertible {
  /// One sentence for people: what is wrong, then what to do.
  var description: String {
    let advice =
      switch code {
      case ENOSPC, EDQUOT: "; free some space"
      case EACCES, EPERM, EROFS, ENOENT, ENOTDIR:
        "; choose a folder that comlinkd may write to with captions-transcripts"
      default: ""
      }
    return "the transcript cannot be written to \(path): \(errorWords(code))\(advice)"
  }
}
