internal import System

/// What can go wrong on either end of the control socket.
public enum RemoteError: Error, Sendable, Hashable {
  /// A socket's path is longer than a UNIX address can hold (`sun_path`, 107 bytes).
  case pathTooLong(path: String, limitBytes: Int)
  /// The directory of the socket cannot be trusted, and why.
  case untrustedDirectory(path: String, reason: String)
  /// Another daemon is starting in this directory and does not finish.
  case directoryBusy(path: String)
  /// Something that is not a socket is in the way.
  case notASocket(path: String)
  /// The socket of another user is in the way.
  case foreignSocket(path: String, ownerID: UInt32)
  /// Another daemon answers there.
  case alreadyServed(path: String)
  /// A system call failed: what was tried, on what, and the error number.
  case system(operation: String, path: String, code: Int32)
  /// Nobody answers at the path.
  case noServer(path: String)
  /// The path may not be used by this user, but by the members of the group if there is one.
  case noPermission(path: String, group: String?)
  /// The daemon took too long.
  case timedOut(path: String, seconds: Double)
  /// The daemon ended the connection.
  case disconnected(path: String)
  /// The daemon refused, and why.
  case refused(String)
  /// The response is invalid, in words.
  case malformed(String)
}

extension RemoteError: CustomStringConvertible {
  /// The error in words for a person, with what to do.
  public var description: String {
    switch self {
    case .pathTooLong(let path, let limitBytes):
      "the path \(path) is too long for a socket (at most \(limitBytes) bytes); use a shorter one"
    case .untrustedDirectory(let path, let reason):
      "the directory \(path) is not safe: \(reason); remove it or use another --control path"
    case .directoryBusy(let path):
      "another comlinkd is still starting in \(path); try again"
    case .notASocket(let path):
      "\(path) is in the way and is not a socket; remove it or use another --control path"
    case .foreignSocket(let path, let ownerID):
      "\(path) is in the way and belongs to user \(ownerID); use another --control path"
    case .alreadyServed(let path):
      "another comlinkd answers at \(path); stop it, or use another --control path"
    case .system(let operation, let path, let code):
      "cannot \(operation) \(path): \(errorWords(code))"
    case .noServer(let path):
      "no comlinkd answers at \(path); is it running? (--control names another socket)"
    case .noPermission(let path, let group?):
      "no permission to use \(path): join the group \(group) "
        + "(sudo usermod -aG \(group) $USER, then log out and in again)"
    case .noPermission(let path, nil):
      "no permission to use \(path): run comlink as comlinkd's user"
    case .timedOut(let path, let seconds):
      "comlinkd at \(path) did not answer within \(Fixed.text(seconds, digits: 1)) s"
    case .disconnected(let path): "comlinkd at \(path) closed the connection"
    case .refused(let words), .malformed(let words): words
    }
  }
}
