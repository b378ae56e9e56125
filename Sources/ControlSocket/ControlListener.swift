internal import Glibc
internal import Remote
internal import System

/// The listening end of a control socket: puts the socket file there, and takes it away again.
final class ControlListener: Sendable {
  /// Clients that nobody has accepted yet.
  static let backlog: Int32 = 32
  /// Owner and group may connect (connecting needs write permission), nobody else.
  static let socketMode: mode_t = 0o660

  /// The socket that listens; non-blocking.
  ///
  /// Whoever serves it closes it.
  let socket: Int32
  private let path: String
  private let device: dev_t
  private let inode: ino_t

  /// Makes the socket at `path`, replacing a stale one of this user.
  ///
  /// At no moment can anybody connect who should not: the mode is set on the socket before it has a
  /// name (bind gives the file the socket's mode less the umask), widened to the wanted one while
  /// nothing listens yet, and only then does it listen.
  init(path: String) throws(RemoteError) {
    let address = try UnixAddress(path: path)
    let directory = try ControlDirectory.lock(ControlPath.directory(of: path))
    let made = SystemCall.result {
      Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Self.flags, 0)
    }
    if let code = SystemCall.code(made) {
      throw .system(operation: "make a socket for", path: path, code: code)
    }
    let descriptor = Descriptor(owning: Int32(made))
    self.path = path
    _ = fchmod(Int32(made), Self.socketMode)
    try Self.bind(Int32(made), to: address, path: path)
    guard unsafe chmod(path, Self.socketMode) == 0, listen(Int32(made), Self.backlog) == 0 else {
      let code = errno
      unsafe unlink(path)
      throw .system(operation: "listen at", path: path, code: code)
    }
    let facts = try Self.facts(of: path)
    (device, inode) = (facts.st_dev, facts.st_ino)
    let kept = SystemCall.result { fcntl(descriptor.number, F_DUPFD_CLOEXEC, 0) }
    if let code = SystemCall.code(kept) {
      unsafe unlink(path)
      throw .system(operation: "listen at", path: path, code: code)
    }
    socket = Int32(kept)
    withExtendedLifetime(directory) {}
  }

  /// Removes the socket file, if it is still this one.
  func remove() {
    guard let facts = try? Self.facts(of: path), facts.st_dev == device, facts.st_ino == inode
    else { return }
    unsafe unlink(path)
  }

  private static let flags =
    Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)

  private static func bind(
    _ number: Int32, to address: UnixAddress, path: String
  ) throws(RemoteError) {
    var bound = address.bind(number)
    if SystemCall.code(bound) == EADDRINUSE {
      try removeStale(at: path, address: address)
      bound = address.bind(number)
    }
    if let code = SystemCall.code(bound) {
      throw .system(operation: "make the socket", path: path, code: code)
    }
  }

  private static func removeStale(
    at path: String, address: UnixAddress
  ) throws(RemoteError) {
    let facts = try facts(of: path)
    guard facts.st_mode & S_IFMT == S_IFSOCK else { throw .notASocket(path: path) }
    guard facts.st_uid == geteuid() else {
      throw .foreignSocket(path: path, ownerID: facts.st_uid)
    }
    let probe = Descriptor(owning: Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | flags, 0))
    let answered = address.connect(probe.number)
    // Anything but a refusal is somebody: EAGAIN is a daemon whose queue is full.
    guard SystemCall.code(answered) == ECONNREFUSED else { throw .alreadyServed(path: path) }
    unsafe unlink(path)
  }

  private static func facts(of path: String) throws(RemoteError) -> stat {
    var facts = stat()
    let looked = SystemCall.result { unsafe lstat(path, &facts) }
    if let code = SystemCall.code(looked) {
      throw .system(operation: "look at", path: path, code: code)
    }
    return facts
  }
}
