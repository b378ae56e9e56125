internal import Cryptography
internal import Glibc
internal import System

/// A directory of the file system, held open and locked as long as the value lives.
///
/// The lock is of a file `lock` in it, open for writing, as NFS wants it for `flock` (flock(2)); the file stays. A file
/// system that is read-only needs no lock, and its groups can be read all the same.
///
/// The directory must be this user's own; it is made where it is missing, with mode 0700, and narrowed to that where
/// others may only read it. A file that others may read, that is not ours or not a plain file is refused: what it says
/// may be known to others, or be theirs.
final class SystemDisk: Disk {
  private static let fileMode: mode_t = 0o600
  private static let directoryMode: mode_t = 0o700
  private static let lockName = "lock"

  private let directory: String
  private let opened: Descriptor
  private let lock: Descriptor?

  private var descriptor: Int32 { opened.number }

  /// Opens the directory.
  ///
  /// - Throws: `StoreError.busy` while another process has it; otherwise what is wrong with it.
  init(directory path: String) throws(StoreError) {
    var directory = path
    while directory.count > 1, directory.hasSuffix("/") { directory.removeLast() }
    try Self.make(directory)
    let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC
    let result = SystemCall.result { unsafe Glibc.open(directory, flags) }
    guard result >= 0 else {
      if result == -Int(ENOTDIR) { throw .wrongKind(path: directory, wanted: "directory") }
      throw .system(attempt: "open", path: directory, code: Int32(truncatingIfNeeded: -result))
    }
    let opened = Descriptor(owning: Int32(result))
    try Self.check(opened.number, directory)
    lock = try Self.lock(in: opened.number, directory)
    self.directory = directory
    self.opened = opened
  }

  func path(of name: String) -> String { "\(directory)/\(name)" }

  func read(_ name: String) throws(StoreError) -> SecretBytes? {
    // Without O_NONBLOCK, opening somebody's FIFO would wait for ever.
    let flags = O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK
    let opened = SystemCall.result { unsafe openat(descriptor, name, flags) }
    if opened == -Int(ENOENT) { return nil }
    if opened == -Int(ELOOP) { throw .wrongKind(path: path(of: name), wanted: "plain file") }
    guard opened >= 0 else {
      throw .system(
        attempt: "read", path: path(of: name), code: Int32(truncatingIfNeeded: -opened))
    }
    let file = Int32(opened)
    defer { close(file) }
    let size = try checkedSize(file, name)
    var bytes: SecretBytes
    do throws(CryptoError) { bytes = try SecretBytes(byteCount: size) } catch {
      throw .crypto(error)
    }
    let path = path(of: name)
    try bytes.withMutableBytes { bytes throws(StoreError) in
      try unsafe bytes.withUnsafeMutableBytes { buffer throws(StoreError) in
        try unsafe Self.fill(buffer, from: file, path)
      }
    }
    return bytes
  }

  private static func fill(
    _ buffer: UnsafeMutableRawBufferPointer, from file: Int32, _ path: String
  ) throws(StoreError) {
    var filled = 0
    while filled < buffer.count {
      let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
      let count = try SystemCall.perform("read", path) {
        unsafe Glibc.read(file, rest.baseAddress, rest.count)
      }
      // Nobody else writes to it: that it ends before its size means that the disk is failing.
      guard count > 0 else { throw .system(attempt: "read", path: path, code: EIO) }
      filled += count
    }
  }

  func create(_ name: String) throws(StoreError) -> Int32 {
    remove(name)
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
    let file = try SystemCall.perform("write", path(of: name)) {
      unsafe openat(descriptor, name, flags, Self.fileMode)
    }
    return Int32(file)
  }

  func write(_ bytes: RawSpan, to file: Int32, _ name: String) throws(StoreError) {
    var written = 0
    while written < bytes.byteCount {
      let rest = bytes.extracting(droppingFirst: written)
      written += try unsafe rest.withUnsafeBytes { rest throws(StoreError) in
        try SystemCall.perform("write", path(of: name)) {
          unsafe Glibc.write(file, rest.baseAddress, rest.count)
        }
      }
    }
  }

  func sync(_ file: Int32, _ name: String) throws(StoreError) {
    try SystemCall.perform("write", path(of: name)) { fsync(file) }
  }

  func close(_ file: Int32) { _ = Glibc.close(file) }

  func rename(_ name: String, to newName: String) throws(StoreError) {
    try SystemCall.perform("write", path(of: newName)) {
      unsafe renameat(descriptor, name, descriptor, newName)
    }
  }

  func syncDirectory() throws(StoreError) {
    try Self.syncNames(descriptor, directory)
  }

  /// Returns when the names in a directory survive a power cut, as far as its file system can tell.
  static func syncNames(_ directory: Int32, _ path: String) throws(StoreError) {
    let synced = SystemCall.result { fsync(directory) }
    // Some file systems write names by themselves, and have nothing to sync in a directory.
    if synced == -Int(EINVAL) { return }
    guard synced >= 0 else {
      throw .system(attempt: "write to", path: path, code: Int32(truncatingIfNeeded: -synced))
    }
  }

  /// The meaning of an error number from locking.
  static func lockError(code: Int32, _ directory: String) -> StoreError {
    switch code {
    case EWOULDBLOCK: .busy(path: directory)
    case EBADF, EINVAL, ENOLCK, ENOSYS, EOPNOTSUPP: .unfit(path: directory, lacks: "lock files")
    default: .system(attempt: "lock", path: directory, code: code)
    }
  }

  /// Lock file; holding it open excludes other processes; nil: the file system is read-only.
  private static func lock(
    in directory: Int32, _ path: String
  ) throws(StoreError) -> Descriptor? {
    let filePath = "\(path)/\(lockName)"
    let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK
    let result = SystemCall.result { unsafe openat(directory, lockName, flags, fileMode) }
    switch Int32(truncatingIfNeeded: -result) {
    case EROFS: return nil
    case ELOOP, EISDIR: throw .wrongKind(path: filePath, wanted: "plain file")
    case 1...:
      throw .system(attempt: "open", path: filePath, code: Int32(truncatingIfNeeded: -result))
    default: break
    }
    let file = Descriptor(owning: Int32(result))
    let locked = SystemCall.result { flock(file.number, LOCK_EX | LOCK_NB) }
    guard locked >= 0 else {
      throw lockError(code: Int32(truncatingIfNeeded: -locked), path)
    }
    return file
  }

  func remove(_ name: String) { _ = unsafe unlinkat(descriptor, name, 0) }

  /// Makes the directory and those above it.
  private static func make(_ path: String) throws(StoreError) {
    let made = SystemCall.result { unsafe mkdir(path, directoryMode) }
    if made == -Int(EEXIST) { return }
    let parent = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    if made == -Int(ENOENT), !parent.isEmpty, parent != "." {
      try make(parent)
      try SystemCall.perform("make the directory", path) { unsafe mkdir(path, directoryMode) }
    } else if made < 0 {
      throw .system(
        attempt: "make the directory", path: path, code: Int32(truncatingIfNeeded: -made))
    }
    try syncName(in: parent.isEmpty ? "/" : parent)
  }

  /// Returns when a new directory's name survives a power cut: without the name, its contents would be lost.
  private static func syncName(in parent: String) throws(StoreError) {
    let directory = try SystemCall.perform("open", parent) {
      unsafe Glibc.open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    }
    defer { _ = Glibc.close(Int32(directory)) }
    try syncNames(Int32(directory), parent)
  }

  private static func check(_ directory: Int32, _ path: String) throws(StoreError) {
    var facts = stat()
    try SystemCall.perform("look at", path) { unsafe fstat(directory, &facts) }
    guard facts.st_uid == geteuid() else { throw .foreign(path: path, ownerID: facts.st_uid) }
    let mode = facts.st_mode & 0o777
    guard mode & 0o022 == 0 else {
      throw .exposed(path: path, mode: mode, wanted: directoryMode)
    }
    guard mode & 0o055 != 0 else { return }
    let changed = SystemCall.result { fchmod(directory, directoryMode) }
    // It is ours, so it is not permission that is missing; vfat refuses, or does nothing (mount option `quiet`).
    if changed == -Int(EPERM) { throw .unfit(path: path, lacks: "keep modes") }
    guard changed >= 0 else {
      throw .system(
        attempt: "change the mode of", path: path, code: Int32(truncatingIfNeeded: -changed))
    }
    try SystemCall.perform("look at", path) { unsafe fstat(directory, &facts) }
    guard facts.st_mode & 0o077 == 0 else { throw .unfit(path: path, lacks: "keep modes") }
  }

  private func checkedSize(_ file: Int32, _ name: String) throws(StoreError) -> Int {
    let path = path(of: name)
    var facts = stat()
    try SystemCall.perform("look at", path) { unsafe fstat(file, &facts) }
    guard facts.st_mode & S_IFMT == S_IFREG else {
      throw .wrongKind(path: path, wanted: "plain file")
    }
    guard facts.st_uid == geteuid() else { throw .foreign(path: path, ownerID: facts.st_uid) }
    guard facts.st_mode & 0o077 == 0 else {
      throw .exposed(path: path, mode: facts.st_mode & 0o777, wanted: Self.fileMode)
    }
    guard (1...Record.fileLimitBytes).contains(Int(facts.st_size)) else {
      throw .corrupt(path: path, what: "its contents")
    }
    return Int(facts.st_size)
  }
}

extension SystemCall {
  /// Makes a call; throws what was tried where it fails.
  @discardableResult
  fileprivate static func perform(
    _ attempt: String, _ path: String, _ call: () -> some BinaryInteger
  ) throws(StoreError) -> Int {
    try perform({ StoreError.system(attempt: attempt, path: path, code: $0) }, call)
  }
}
