internal import Glibc

extension DiscoveryError: CustomStringConvertible {
  /// A line for the log.
  public var description: String {
    switch self {
    case .running: "discovery runs already"
    case .system(let operation, let code):
      "cannot \(operation): \(unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)")"
    }
  }
}
