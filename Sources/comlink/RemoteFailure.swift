internal import Glibc
internal import Remote
internal import StatusSchema
internal import System

/// Why a command did not do what it should.
enum RemoteFailure: Error, CustomStringConvertible {
  /// The daemon cannot be talked to.
  case remote(RemoteError)
  /// This user has no daemon at the first path and may not use the system's.
  case systemOnly(own: String, RemoteError)
  /// The daemon refused, and why.
  case refused(String)
  /// The answer to making a group did not come, so it may be there without its invitation having been shown.
  case groupUnknown(name: String, RemoteError)
  /// Only root can do that.
  case needsRoot(command: String)
  /// A file of the user's will not do: its path, and why.
  case file(String, String)
  /// The daemon answered something else than what was asked.
  case unexpectedAnswer
  /// The command is for this machine's node only.
  case notFromAfar

  /// The failure in words for a person.
  var description: String {
    switch self {
    case .remote(.refused(let message)): PlainText.cleaned(message)
    case .remote(let error): "\(error)"
    case .systemOnly(let own, let error): "no comlinkd answers at \(own), and \(error)"
    // Names of others are in it.
    case .refused(let message): PlainText.cleaned(message)
    case .groupUnknown(let name, let error):
      "\(error); the group may exist anyway: check with comlink group list, and if it is there, "
        + "comlink group leave '\(name)' and create it again"
    case .needsRoot(let command): "this needs root: sudo \(command)"
    case .file(let path, let words): PlainText.cleaned("\(path) \(words)")
    case .notFromAfar:
      "this command asks this machine's node only; --at goes with commands that set lines, keys, levels and gain"
    case .unexpectedAnswer:
      "unexpected response from comlinkd; check that comlink has the version of comlinkd"
    }
  }

  /// What the process ends with, by sysexits.h.
  var exitCode: Int32 {
    switch self {
    case .refused, .remote(.refused), .file: EX_DATAERR
    case .unexpectedAnswer, .remote(.malformed): EX_PROTOCOL
    case .remote(.noServer): EX_UNAVAILABLE
    case .remote(.noPermission), .systemOnly, .needsRoot: EX_NOPERM
    case .remote(.timedOut), .remote(.disconnected), .groupUnknown: EX_TEMPFAIL
    case .remote(.pathTooLong), .notFromAfar: EX_USAGE
    case .remote: EX_OSERR
    }
  }
}

/// Words for the terminal.
enum PlainText {
  /// A group in a line.
  static func line(_ group: GroupStatus) -> String {
    "\(cleaned(group.name))  (\(cleaned(group.words)))"
  }

  /// Text from outside that cannot send commands to the terminal.
  static func cleaned(_ text: String) -> String { StatusTable.cleaned(text) }

  /// Tells something that is no result.
  static func note(_ words: String) {
    let bytes = Array("comlink: \(words)\n".utf8)
    _ = unsafe write(STDERR_FILENO, bytes, bytes.count)
  }
}

/// Text for standard output.
enum StandardOutput {
  /// Writes it as a whole; false when nobody reads it any more.
  static func write(_ text: String) -> Bool {
    SystemCall.write(Array(text.utf8), to: STDOUT_FILENO)
  }
}
