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

  /// Whether comlinkd may be there again soon, as after a restart.
  var isAway: Bool {
    switch self {
    case .remote(.noServer), .remote(.disconnected), .remote(.timedOut), .systemOnly: true
    default: false
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

/// Asks a daemon that may be away for a while, for those who go on with what comes.
struct FollowedDaemon {
  private static let pauseSeconds: UInt32 = 1
  private var isAway = false

  /// The first answer, which who follows waits for.
  mutating func first<Answer>(follows: Bool, to question: () throws -> Answer) throws -> Answer {
    guard follows else { return try question() }
    while true {
      if let answer = try answer(to: question) { return answer }
    }
  }

  /// The answer; nil: comlinkd is away, which was told, and is to be asked again now.
  mutating func answer<Answer>(to question: () throws -> Answer) throws -> Answer? {
    do {
      let answer = try question()
      if isAway { PlainText.note("comlinkd is back") }
      isAway = false
      return answer
    } catch let failure as RemoteFailure where failure.isAway {
      if !isAway { PlainText.note("\(failure); waiting for it") }
      isAway = true
      sleep(Self.pauseSeconds)
      return nil
    }
  }
}

/// Text for standard output.
enum StandardOutput {
  /// Writes it as a whole; false when nobody reads it any more.
  static func write(_ text: String) -> Bool {
    SystemCall.write(Array(text.utf8), to: STDOUT_FILENO)
  }
}
