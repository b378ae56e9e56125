extension RigError: CustomStringConvertible {
  /// One or more lines: what was tried, with what, and what came of it.
  public var description: String {
    switch self {
    case .launch(let command, let reason): "cannot start \(command): \(reason)"
    case .ended(let command, let status, let output):
      "\(command) ended with status \(status)\(Self.quoted(output))"
    case .timeout(let what, let seconds, let detail):
      "waited \(seconds) s in vain for \(what)\(Self.quoted(detail))"
    case .missing(let what, let hint): "\(what) is missing: \(hint)"
    case .jack(let action, let code): "JACK: \(action) failed: \(Self.message(of: -code))"
    case .sound(let path, let reason): "\(path): \(reason)"
    case .status(let reason): "status document: \(reason)"
    case .file(let path, let reason): "\(path): \(reason)"
    }
  }

  private static func quoted(_ output: String) -> String {
    output.isEmpty ? "" : "; the end of what it printed:\n\(output)"
  }

  private static func message(of code: Int32) -> String {
    systemMessage(code)
  }
}
