import Glibc
import System

/// A program started by us and owned by the thread that started it, with its output on a pipe.
///
/// It gets a process group of its own, so that Ctrl-C in a terminal reaches only us and the two end in the right
/// order; no blocked or ignored signals; and none of our descriptors.
///
/// It must not outlive us, whatever ends us. Between fork and exec a Swift process may not run code of its own, so
/// `prctl(PR_SET_PDEATHSIG)` is left to `setpriv --pdeathsig` (util-linux, an essential package of Debian), which sets
/// it and becomes the program, keeping its process id. The kernel sends that signal when the *thread* that
/// started the child ends, hence the ownership. Without setpriv the program is started directly, and only
/// an orderly end ends it with us.
struct ChildProcess: ~Copyable {
  /// The child's process id, and its group's.
  let identifier: pid_t
  /// Reads what it writes; at its end, end of file.
  let outputDescriptor: Int32

  /// Starts the program.
  ///
  /// - Parameters:
  ///   - path: the program's file.
  ///   - arguments: without the program's name.
  ///   - extraEnvironment: "NAME=value" lines added to ours.
  /// - Throws: `SystemError`.
  init(
    path: String, arguments: [String], extraEnvironment: [String]
  ) throws(SystemError) {
    var command = [path] + arguments
    if let setpriv = Self.find("setpriv") {
      command = [setpriv, "--pdeathsig", "TERM", "--"] + command
    }
    var pipeDescriptors: [Int32] = [-1, -1]
    let code = unsafe pipeDescriptors.withUnsafeMutableBufferPointer { descriptors in
      unsafe pipe(descriptors.baseAddress)
    }
    guard code == 0 else { throw SystemError(attempt: "make a pipe", errorNumber: errno) }
    // posix_spawn clears the flag on the child's copies.
    for descriptor in pipeDescriptors {
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }
    _ = fcntl(pipeDescriptors[0], F_SETFL, O_NONBLOCK)
    let spawned = Self.spawn(
      command: command, environment: Self.environment() + extraEnvironment,
      pipe: pipeDescriptors[1])
    _ = Glibc.close(pipeDescriptors[1])
    guard spawned.code == 0 else {
      _ = Glibc.close(pipeDescriptors[0])
      throw SystemError(attempt: "start \(path)", errorNumber: spawned.code)
    }
    identifier = spawned.identifier
    outputDescriptor = pipeDescriptors[0]
  }

  deinit {
    _ = Glibc.close(outputDescriptor)
  }

  /// Whether it has ended, and how; once it has, the process id is no longer its.
  func exit() -> ChildExit? {
    var status: Int32 = 0
    let code = unsafe waitpid(identifier, &status, WNOHANG)
    if code == 0 || (code < 0 && errno == EINTR) { return nil }
    // ECHILD: somebody ignores SIGCHLD, so the kernel kept no status.
    guard code == identifier else { return .unknown }
    let signal = status & 0x7F
    return signal == 0 ? .status((status >> 8) & 0xFF) : .signal(signal)
  }

  /// Sends it a signal; only before `exit()` told its end.
  func send(signal: Int32) {
    _ = kill(identifier, signal)
  }

  /// Takes what it has written so far; nil at the end of file.
  func readOutput() -> String? {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = unsafe bytes.withUnsafeMutableBytes { bytes in
      unsafe read(outputDescriptor, bytes.baseAddress, bytes.count)
    }
    if count == 0 { return nil }
    return String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
  }

  /// The file of that name in `$PATH`, or where Debian keeps programs.
  static func find(_ program: String) -> String? {
    let path = unsafe getenv("PATH").map { unsafe String(cString: $0) } ?? ""
    let folders = path.split(separator: ":").map(String.init) + ["/usr/bin", "/bin"]
    return folders.map { "\($0)/\(program)" }.first { unsafe access($0, X_OK) == 0 }
  }
}

/// How a child process ended.
enum ChildExit: Hashable, Sendable {
  case status(Int32)
  case signal(Int32)
  case unknown
}

/// posix_spawn and its many pointers.
extension ChildProcess {
  static func spawn(
    command: [String], environment: [String], pipe: Int32
  ) -> (code: Int32, identifier: pid_t) {
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    setAttributes(&attributes)
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe setDescriptors(&actions, pipe: pipe)
    var identifier: pid_t = 0
    var arguments = unsafe command.map { unsafe strdup($0) } + [nil]
    var variables = unsafe environment.map { unsafe strdup($0) } + [nil]
    defer {
      unsafe (arguments + variables).forEach { unsafe free($0) }
    }
    let code = unsafe posix_spawn(
      &identifier, command[0], &actions, &attributes, &arguments, &variables)
    return (code, identifier)
  }

  /// A group of its own, no blocked signal, and every signal's default action.
  private static func setAttributes(_ attributes: inout posix_spawnattr_t) {
    var none = sigset_t()
    var all = sigset_t()
    unsafe sigemptyset(&none)
    unsafe sigfillset(&all)
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    unsafe posix_spawnattr_setsigdefault(&attributes, &all)
    unsafe posix_spawnattr_setpgroup(&attributes, 0)
    let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP
    unsafe posix_spawnattr_setflags(&attributes, Int16(flags))
  }

  private static func setDescriptors(_ actions: inout posix_spawn_file_actions_t, pipe: Int32) {
    unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    unsafe posix_spawn_file_actions_adddup2(&actions, pipe, 1)
    unsafe posix_spawn_file_actions_adddup2(&actions, pipe, 2)
    // Not all that libjack opens is marked close-on-exec. One that is closed meanwhile does no harm.
    for descriptor in openDescriptors() where descriptor > 2 {
      unsafe posix_spawn_file_actions_addclose(&actions, descriptor)
    }
  }

  private static func openDescriptors() -> [Int32] {
    guard let folder = unsafe opendir("/proc/self/fd") else { return [] }
    defer { unsafe closedir(folder) }
    var descriptors: [Int32] = []
    while let entry = unsafe readdir(folder) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
        unsafe String(cString: UnsafeRawPointer(name).assumingMemoryBound(to: CChar.self))
      }
      if let descriptor = Int32(name) { descriptors.append(descriptor) }
    }
    return descriptors
  }

  /// Our own environment, "NAME=value" each.
  static func environment() -> [String] {
    var variables: [String] = []
    var next = unsafe environ
    while let variable = unsafe next.pointee {
      unsafe variables.append(String(cString: variable))
      unsafe next += 1
    }
    return variables
  }
}
