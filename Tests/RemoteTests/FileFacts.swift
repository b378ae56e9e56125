import Glibc

/// What the file system says about a path, symbolic links not followed.
struct FileFacts {
  let mode: UInt32
  let isSocket: Bool
  let inode: UInt64

  init?(_ path: String) {
    var facts = stat()
    guard unsafe lstat(path, &facts) == 0 else { return nil }
    mode = facts.st_mode & 0o7777
    isSocket = facts.st_mode & S_IFMT == S_IFSOCK
    inode = UInt64(facts.st_ino)
  }
}
