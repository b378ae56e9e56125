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

  /// The error number in a result of ``result(_:)``, or nil where the call went well.
  static func code(_ result: Int) -> Int32? {
    result < 0 ? Int32(truncatingIfNeeded: -result) : nil
  }

  /// Whether the call would have had to wait.
  static func isWouldBlock(_ result: Int) -> Bool {
    result == -Int(EAGAIN) || result == -Int(EWOULDBLOCK)
  }
}
