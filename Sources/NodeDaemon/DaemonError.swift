internal import ControlPlane
internal import Cryptography
internal import EventLoop
internal import Glibc
internal import Intercom
internal import Messages
internal import Remote

/// Why the daemon cannot start or go on.
enum DaemonError: Error, Sendable {
  /// A setting that will not do: where it comes from and what is wrong.
  case setting(Setting, origin: Origin, words: String)
  /// A configuration file that cannot be read or understood.
  case file(path: String, line: Int?, words: String)
  /// The control socket cannot be made.
  case control(RemoteError)
  /// There are no random numbers, or no memory, for an identity.
  case identity(CryptoError)
  /// Control connections cannot be taken.
  case connections(ControlPlaneError)
  /// The node cannot run.
  case node(IntercomError)
  /// Not even messages of this run can be held.
  case messages(JournalError)
}

extension DaemonError: CustomStringConvertible {
  /// The error in words for a person, beginning with the place of the mistake.
  var description: String {
    switch self {
    case .setting(let setting, .file(let path, let line), let words):
      "\(Origin.file(path: path, line: line).words): \(setting.rawValue) \(words)"
    case .setting(_, .flag(let setting), let words): "--\(setting.rawValue) \(words)"
    case .setting(let setting, .builtIn, let words), .setting(let setting, .profile, let words):
      "\(setting.rawValue) \(words)"
    case .file(let path, let line, let words):
      "\(Origin.file(path: path, line: line).words): \(words)"
    case .control(let error): "control socket: \(error)"
    case .node(.eventLoop(.ring(_, ENOMEM))):
      LimitsAdvice.message([.ringMemory], user: LimitsAdvice.user)
    case .node(let error): "\(error)"
    case .identity(let error): "identity: \(error)"
    case .messages(let error): "messages: \(error)"
    case .connections(let error): "control connections: \(error)"
    }
  }

  /// What the process ends with, by sysexits.h: systemd does not restart after 64, 77 and 78, which stay until somebody
  /// does something.
  var exitCode: Int32 {
    switch self {
    case .setting(_, .flag, _): EX_USAGE
    case .setting, .file: EX_CONFIG
    case .control(.alreadyServed), .control(.directoryBusy): EX_UNAVAILABLE
    case .control(.noPermission), .control(.untrustedDirectory), .control(.foreignSocket):
      EX_NOPERM
    case .control(.pathTooLong), .control(.notASocket): EX_CONFIG
    case .control(.system(_, _, let code)):
      [EACCES, EPERM, EROFS].contains(code) ? EX_NOPERM : EX_OSERR
    case .control: EX_OSERR
    case .node(.eventLoop(.endpoint(.bind, _, let code))):
      [EACCES, EPERM].contains(code) ? EX_NOPERM : EX_UNAVAILABLE
    case .node(.eventLoop(let error)) where error.isLasting: EX_CONFIG
    case .connections(.addressInUse): EX_UNAVAILABLE
    case .node, .identity, .connections, .messages: EX_OSERR
    }
  }
}
