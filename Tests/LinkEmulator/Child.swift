import Glibc

/// A program that the emulator started: `ip`, or what the user wants run.
struct Child {
  let identifier: pid_t

  /// Starts a program along PATH in the calling thread's network namespace, with our input and output and no
  /// blocked signals.
  ///
  /// - Throws: `LinkError.unavailable`.
  init(_ words: [String]) throws(LinkError) {
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    unsafe sigemptyset(&none)
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    var arguments = unsafe words.map { unsafe strdup($0) }
    defer { for index in unsafe arguments.indices { unsafe free(arguments[index]) } }
    unsafe arguments.append(nil)
    var identifier: pid_t = 0
    let code = unsafe posix_spawnp(
      &identifier, words[0], nil, &attributes, arguments, environ)
    guard code == 0 else {
      throw .unavailable("cannot start \(words[0]); is it installed?")
    }
    self.identifier = identifier
  }

  /// Exit status (128 + signal when killed by one), nil while it runs; nothing may ask once it was told.
  func endStatus() -> Int32? { wait(WNOHANG) }

  /// Waits for its end.
  func waitForEnd() -> Int32 { wait(0) ?? 255 }

  /// Asks it to end, insists after half a second.
  func end() {
    kill(identifier, SIGTERM)
    for _ in 0..<100 {
      if endStatus() != nil { return }
      usleep(5_000)
    }
    kill(identifier, SIGKILL)
    _ = waitForEnd()
  }

  private func wait(_ options: Int32) -> Int32? {
    var status: Int32 = 0
    var result: pid_t
    repeat {
      result = unsafe waitpid(identifier, &status, options)
    } while result < 0 && errno == EINTR
    guard result != 0 else { return nil }
    guard result > 0 else { return 255 }
    return status & 0x7f == 0 ? (status >> 8) & 0xff : 128 + (status & 0x7f)
  }

  /// Runs `ip` of iproute2.
  ///
  /// - Throws: `LinkError`; `ip` itself has told why on stderr.
  static func ip(_ arguments: String...) throws(LinkError) {
    let words = ["ip"] + arguments
    let status = try Child(words).waitForEnd()
    guard status == 0 else {
      throw .unavailable("\(words.joined(separator: " ")) ended with status \(status)")
    }
  }
}
