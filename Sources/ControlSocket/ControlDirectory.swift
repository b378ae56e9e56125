internal import Glibc
internal import Remote
internal import System

/// The directory of a control socket, held locked while a socket is put into it.
///
/// The lock (`flock` on the directory itself, so that no extra file is left behind) makes two daemons
/// that start at once take turns; without it both could find the same stale socket and the second would
/// remove the first one's.
enum ControlDirectory {
  /// Makes the directory if it is missing (mode 0750), checks it and locks it.
  ///
  /// A directory right under `/tmp` and the like (sticky, writable by all) is made 0700, and one that
  /// is there already must belong to this user and nobody else may write to it: anybody could have put
  /// one of that name there first. The lock lasts until the result is let go of.
  static func lock(_ path: String) throws(RemoteError) -> Descriptor {
    let parent = path == "." ? ".." : ControlPath.directory(of: path)
    let isInSharedPlace = isSharedPlace(parent)
    let isNew = try make(path, mode: isInSharedPlace ? 0o700 : 0o750)
    let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | (isInSharedPlace ? O_NOFOLLOW : 0)
    let opened = SystemCall.result { unsafe open(path, flags) }
    if let code = SystemCall.code(opened) {
      if code == ELOOP || code == ENOTDIR {
        throw .untrustedDirectory(path: path, reason: "it is not a directory")
      }
      throw .system(operation: "open", path: path, code: code)
    }
    let descriptor = Descriptor(owning: Int32(opened))
    if isNew {
      // What mkdir made is narrower than asked for where the umask says so; never wider.
      _ = fchmod(descriptor.number, isInSharedPlace ? 0o700 : 0o750)
    }
    if isInSharedPlace { try checkOwnership(of: descriptor, path) }
    try takeLock(descriptor, path)
    return descriptor
  }

  private static func make(_ path: String, mode: mode_t) throws(RemoteError) -> Bool {
    let made = SystemCall.result { unsafe mkdir(path, mode) }
    guard let code = SystemCall.code(made) else { return true }
    if code == EEXIST { return false }
    throw .system(operation: "make the directory", path: path, code: code)
  }

  private static func isSharedPlace(_ path: String) -> Bool {
    var facts = stat()
    guard unsafe stat(path, &facts) == 0 else { return false }
    return facts.st_mode & (S_ISVTX | S_IWOTH) == S_ISVTX | S_IWOTH
  }

  private static func checkOwnership(
    of descriptor: Descriptor, _ path: String
  ) throws(RemoteError) {
    var facts = stat()
    guard unsafe fstat(descriptor.number, &facts) == 0 else {
      throw .system(operation: "look at", path: path, code: EIO)
    }
    guard facts.st_uid == getuid() else {
      throw .untrustedDirectory(path: path, reason: "it belongs to user \(facts.st_uid)")
    }
    guard facts.st_mode & 0o022 == 0 else {
      throw .untrustedDirectory(path: path, reason: "other users may write to it")
    }
  }

  /// Takes the lock, for two seconds at most: another start needs milliseconds, but anybody who may
  /// read the directory could hold it for ever.
  private static func takeLock(
    _ descriptor: Descriptor, _ path: String
  ) throws(RemoteError) {
    for _ in 0..<100 {
      let locked = SystemCall.result { flock(descriptor.number, LOCK_EX | LOCK_NB) }
      if !SystemCall.isWouldBlock(locked) { return }
      usleep(20_000)
    }
    throw .directoryBusy(path: path)
  }
}
