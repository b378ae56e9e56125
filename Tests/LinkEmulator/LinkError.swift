import Glibc
import System

/// What keeps the emulator from running, in words for the person who started it.
enum LinkError: Error {
  /// The arguments make no sense.
  case usage(String)
  /// Not root, or root without its rights.
  case notPermitted(String)
  /// Something is in the way or missing.
  case unavailable(String)
  /// A system call failed.
  case system(attempt: String, errorNumber: Int32)
}

extension LinkError: CustomStringConvertible {
  var description: String {
    switch self {
    case .usage(let reason): return "\(reason); comlink-link --help tells the options"
    case .notPermitted(let reason), .unavailable(let reason): return reason
    case .system(let attempt, let number):
      return "cannot \(attempt): \(errorWords(number))"
    }
  }

  /// By sysexits.
  var exitCode: Int32 {
    switch self {
    case .usage: 64
    case .unavailable: 69
    case .system: 71
    case .notPermitted: 77
    }
  }

  /// Passes a result of CLink or a system call on, or throws what -errno it is.
  static func check(_ result: Int32, _ attempt: @autoclosure () -> String) throws(LinkError)
    -> Int32
  {
    guard result < 0 else { return result }
    throw .system(attempt: attempt(), errorNumber: -result)
  }
}
