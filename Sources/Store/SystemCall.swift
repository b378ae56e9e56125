internal import Glibc

/// The one place where `errno` is read and an interrupted call is made again.
enum SystemCall {
  /// Makes a call that answers -1 and `errno`; returns its result, or `-errno`.
  static func result(_ call: () -> some BinaryInteger) -> Int {
    while true {
      let result = Int(call())
      guard result < 0 else { return result }
      guard errno == EINTR else { return -Int(errno) }
    }
  }

  /// Makes a call; throws what was tried where it fails.
  @discardableResult
  static func perform(
    _ attempt: String, _ path: String, _ call: () -> some BinaryInteger
  ) throws(StoreError) -> Int {
    let result = result(call)
    guard result >= 0 else {
      throw .system(attempt: attempt, path: path, code: Int32(truncatingIfNeeded: -result))
    }
    return result
  }
}
