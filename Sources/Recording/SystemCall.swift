internal import Glibc

/// The one place where `errno` is read and an interrupted call is made again.
enum SystemCall {
  /// Makes a call that answers -1 and `errno`.
  ///
  /// - Throws: what was tried, where it fails.
  @discardableResult
  static func perform(
    _ attempt: String, _ path: String, _ call: () -> some BinaryInteger
  ) throws(RecordingError) -> Int {
    while true {
      let result = Int(call())
      guard result < 0 else { return result }
      let code = errno
      guard code == EINTR else {
        throw .system(attempt: attempt, path: path, errorNumber: code)
      }
    }
  }
}
