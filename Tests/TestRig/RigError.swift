/// What keeps a measurement from being made, in words for the person who started it.
public enum RigError: Error, Equatable {
  /// A program could not be started; the message of the kernel is included.
  case launch(command: String, reason: String)
  /// A program ended before it was told to; `output` is the end of what it printed.
  case ended(command: String, status: Int32, output: String)
  /// Something did not happen in time; `detail` says what was seen instead.
  case timeout(waitingFor: String, seconds: Double, detail: String)
  /// A program or file is not installed; `hint` says what to do.
  case missing(what: String, hint: String)
  /// A JACK call failed with a negative errno.
  case jack(action: String, code: Int32)
  /// A sound file cannot be used.
  case sound(path: String, reason: String)
  /// A status document is not what its schema promises.
  case status(reason: String)
  /// A file or folder cannot be made, read or written.
  case file(path: String, reason: String)
}

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
