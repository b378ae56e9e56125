/// What can go wrong on either end of the control socket.
public enum RemoteError: Error, Sendable, Hashable {
  /// A socket's path is longer than a UNIX address can hold (`sun_path`, 107 bytes).
  case pathTooLong(path: String, limitBytes: Int)
  /// The directory of the socket cannot be trusted, and why.
  case untrustedDirectory(path: String, reason: String)
  /// Another daemon is starting in this directory, and does not get done.
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
  /// What came is not understood, in words.
  case malformed(String)
}
