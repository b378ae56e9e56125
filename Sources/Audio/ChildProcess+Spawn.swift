import Glibc

/// posix_spawn and its many pointers.
extension ChildProcess {
  static func spawn(
    command: [String], environment: [String], pipe: Int32, keepsStandardOutput: Bool
  ) -> (code: Int32, identifier: pid_t) {
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    setAttributes(&attributes)
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe setDescriptors(&actions, pipe: pipe, keepsStandardOutput: keepsStandardOutput)
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

  private static func setDescriptors(
    _ actions: inout posix_spawn_file_actions_t, pipe: Int32, keepsStandardOutput: Bool
  ) {
    unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    if keepsStandardOutput {
      unsafe posix_spawn_file_actions_adddup2(&actions, pipe, 1)
    } else {
      unsafe posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
    }
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
