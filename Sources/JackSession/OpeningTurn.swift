import Glibc

/// The turn to become a JACK client, taken among all stations of one user on this machine;
/// given back at its end of life.
///
/// jack2 finds a new client by a socket in /dev/shm whose name tells the client's and the user's, not the server's. Of
/// two that become clients of the same name of two servers at the same moment, one server gets hold of the other's
/// socket: both are half clients, and keep the graphs of both servers waiting.
/// The turn is a lock (flock(2)) on a file beside those sockets, which stays.
struct OpeningTurn: ~Copyable {
  /// Opening takes some milliseconds; longer only a server that hangs keeps anybody.
  static let waitMilliseconds = 2_000
  private static let stepMilliseconds = 5

  private let descriptor: Int32

  /// Where the users' turns are.
  static var standardPath: String { "/dev/shm/comlink-jack-\(geteuid())" }

  /// Waits for the turn; after `waitMilliseconds`, or where there is no such file, goes on without: a client that is
  /// whole most of the time is better than none.
  init(path: String = standardPath, waitMilliseconds: Int = waitMilliseconds) {
    descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
    // Another user's file of that name, who might never let go.
    guard descriptor >= 0, Self.isOwn(descriptor) else { return }
    var waited = 0
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0, waited < waitMilliseconds {
      usleep(UInt32(Self.stepMilliseconds * 1_000))
      waited += Self.stepMilliseconds
    }
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  private static func isOwn(_ descriptor: Int32) -> Bool {
    var status = stat()
    return unsafe fstat(descriptor, &status) == 0 && status.st_uid == geteuid()
  }
}
