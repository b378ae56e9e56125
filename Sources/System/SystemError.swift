internal import Glibc

/// The operating system refused: what was asked for, and `errno`.
public struct SystemError: Error, Hashable, Sendable {
  /// What was tried, with what.
  public let attempt: String
  /// Positive.
  public let errorNumber: Int32

  /// A refusal.
  public init(attempt: String, errorNumber: Int32) {
    self.attempt = attempt
    self.errorNumber = errorNumber
  }
}

extension SystemError: CustomStringConvertible {
  /// One line for a log: what was tried, and why it failed.
  public var description: String { "\(attempt): \(errorWords(errorNumber))" }
}

/// The C library's words for an `errno`, positive or as the `-errno` our C targets return.
package func errorWords(_ errorNumber: Int32) -> String {
  // Thread-safe since glibc 2.32: its buffer for unknown numbers is the thread's own.
  guard let words = unsafe strerror(abs(errorNumber)) else { return "error \(abs(errorNumber))" }
  return unsafe String(cString: words)
}
