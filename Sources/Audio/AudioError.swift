import Glibc

/// Why something of this target could not be set up; nothing on the hot path throws.
public enum AudioError: Error, Hashable, Sendable {
  /// libopus refused: what was asked for, and its own words.
  case codec(attempt: String, reason: String)
  /// No resampler: the output rate / input rate asked for, and why.
  case resampler(ratio: Double, reason: String)
  /// The real-time memory (rings, ports, meters) could not be had.
  case outOfMemory(wanted: String)
  /// The operating system refused: what was asked for, and `errno`.
  case system(attempt: String, errorNumber: Int32)
}

extension AudioError: CustomStringConvertible {
  /// One line for a log: what was tried, with what, and why it failed.
  public var description: String {
    switch self {
    case .codec(let attempt, let reason): "Opus: \(attempt): \(reason)"
    case .resampler(let ratio, let reason): "resampler with ratio \(ratio): \(reason)"
    case .outOfMemory(let wanted): "not enough memory for \(wanted)"
    case .system(let attempt, let errorNumber): "\(attempt): \(errorWords(errorNumber))"
    }
  }
}

/// The C library's words for an `errno`, positive or as the `-errno` our C targets return.
func errorWords(_ errorNumber: Int32) -> String {
  // Thread-safe since glibc 2.32: its buffer for unknown numbers is the thread's own.
  guard let words = unsafe strerror(abs(errorNumber)) else { return "error \(abs(errorNumber))" }
  return unsafe String(cString: words)
}
