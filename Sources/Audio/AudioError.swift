public import System

/// Why something of this target could not be set up; nothing on the hot path throws.
public enum AudioError: Error, Hashable, Sendable {
  /// libopus refused: what was asked for, and its own words.
  case codec(attempt: String, reason: String)
  /// No resampler: the output rate / input rate asked for, and why.
  case resampler(ratio: Double, reason: String)
  /// The real-time memory (rings, ports, meters) could not be had.
  case outOfMemory(wanted: String)
  /// A port of ours cannot be called that: empty, too long, another's, or one too many.
  case badPort(String)
  /// The operating system refused, such as a thread.
  case system(SystemError)
}

extension AudioError: CustomStringConvertible {
  /// One line for a log: what was tried, with what, and why it failed.
  public var description: String {
    switch self {
    case .codec(let attempt, let reason): "Opus: \(attempt): \(reason)"
    case .resampler(let ratio, let reason): "resampler with ratio \(ratio): \(reason)"
    case .outOfMemory(let wanted): "not enough memory for \(wanted)"
    case .badPort(let name):
      "no port can be called \"\(name)\": it is another's, too long, or one too many"
    case .system(let error): "\(error)"
    }
  }
}
