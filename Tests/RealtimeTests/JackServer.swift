import Glibc
import Testing

/// A jackd of its own on the dummy driver, ended with this object, or with the test process however that ends.
final class JackServer {
  let name: String
  /// A shell that runs jackd and sends it the signal it reads; the end of the pipe, TERM, also comes when we crash.
  private static let script = """
    exec 3<&0
    "$@" </dev/null 3<&- & server=$!
    { read -r signal <&3; kill "-${signal:-TERM}" "$server"; } & reader=$!
    wait "$server"
    kill "$reader"
    """
  private var shell: pid_t = 0
  private var orders: Int32 = -1

  /// Starts it; it is not ready yet.
  init(name: String, sampleRate: Int = 48_000, periodFrames: Int = 64) throws {
    self.name = name
    var ends: [Int32] = [-1, -1]
    let piped = unsafe pipe(&ends)
    try #require(piped == 0)
    orders = ends[1]
    // Only we may hold this end, or its end would never come.
    try #require(fcntl(orders, F_SETFD, FD_CLOEXEC) == 0)
    let arguments =
      ["sh", "-c", Self.script, "sh", "jackd", "-R", "-n", name, "-d", "dummy"]
      + ["-r", String(sampleRate), "-p", String(periodFrames)]
    let error = spawn(arguments, input: ends[0])
    close(ends[0])
    try #require(error == 0, "no shell could be started")
  }

  deinit {
    end(SIGTERM)
    // A killed server leaves its clients' semaphores behind.
    for client in ["comlink", "comlink2", "system", "freewheel"] {
      unsafe unlink("/dev/shm/jack_sem.\(getuid())_\(name)_\(client)")
    }
  }

  /// Whether it has ended by itself, which it does at once when jackd is not installed or the machine has too many: JACK
  /// counts eight servers, and a killed one until its name is used again.
  var hasGivenUp: Bool {
    guard shell > 0 else { return true }
    var status: Int32 = 0
    guard unsafe waitpid(shell, &status, WNOHANG) == shell else { return false }
    shell = 0
    return true
  }

  /// Ends the server by a signal, and waits until it has ended.
  ///
  /// Idempotent.
  func end(_ signal: Int32) {
    guard shell > 0 else { return }
    let order = "\(signal)\n"
    unsafe _ = write(orders, order, order.utf8.count)
    close(orders)
    var status: Int32 = 0
    while unsafe waitpid(shell, &status, 0) < 0 && errno == EINTR {}
    shell = 0
  }

  /// 0 or an errno.
  private func spawn(_ arguments: [String], input: Int32) -> Int32 {
    var pointers = unsafe arguments.map { unsafe strdup($0) }
    unsafe pointers.append(nil)
    defer {
      for index in unsafe pointers.indices { unsafe free(pointers[index]) }
    }
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
    for descriptor in [STDOUT_FILENO, STDERR_FILENO] {
      unsafe posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_WRONLY, 0)
    }
    // Swift's threads block most signals, and a child inherits that: the shell would not hear of jackd's end.
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    unsafe sigemptyset(&none)
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    return unsafe posix_spawnp(&shell, "sh", &actions, &attributes, pointers, environ)
  }
}
