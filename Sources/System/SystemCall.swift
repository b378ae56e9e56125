internal import Glibc

/// The one place where `errno` is read and an interrupted call is made again.
package enum SystemCall {
  /// Makes a call that answers -1 and `errno`; returns its result, or `-errno`.
  package static func result(_ call: () -> some BinaryInteger) -> Int {
    while true {
      let result = Int(call())
      guard result < 0 else { return result }
      guard errno == EINTR else { return -Int(errno) }
    }
  }

  /// The error number in a result of ``result(_:)``, or nil where the call went well.
  package static func code(_ result: Int) -> Int32? {
    result < 0 ? Int32(truncatingIfNeeded: -result) : nil
  }

  /// Whether the call would have had to wait.
  package static func isWouldBlock(_ result: Int) -> Bool {
    result == -Int(EAGAIN) || result == -Int(EWOULDBLOCK)
  }

  /// Makes a call; throws what its error number is to its caller.
  package static func perform<Failure: Error>(
    _ failure: (_ code: Int32) -> Failure, _ call: () -> some BinaryInteger
  ) throws(Failure) -> Int {
    let result = result(call)
    guard let code = code(result) else { return result }
    throw failure(code)
  }

  /// Writes all of it, in as many calls as that takes; false when nobody reads it any more.
  package static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    var written = 0
    while written < bytes.count {
      let count = unsafe bytes.withUnsafeBytes { all in
        let rest = unsafe UnsafeRawBufferPointer(rebasing: all[written...])
        return result { unsafe Glibc.write(descriptor, rest.baseAddress, rest.count) }
      }
      guard count > 0 else { return false }
      written += count
    }
    return true
  }
}

/// A file descriptor that is closed when its last owner lets go of it.
package final class Descriptor: Sendable {
  /// The number the kernel knows it by.
  package let number: Int32

  /// Takes over an open descriptor.
  package init(owning number: Int32) { self.number = number }

  deinit { _ = close(number) }
}
