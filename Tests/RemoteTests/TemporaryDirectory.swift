import Glibc

/// A directory of its own for one test, removed with all that is in it.
final class TemporaryDirectory: Sendable {
  let path: String

  init() {
    var template = Array("/tmp/comlink-test-XXXXXX".utf8)
    template.append(0)
    let made = unsafe template.withUnsafeMutableBytes { bytes in
      guard let start = unsafe bytes.bindMemory(to: CChar.self).baseAddress else { return false }
      return unsafe mkdtemp(start) != nil
    }
    precondition(made, "no room in /tmp")
    path = String(decoding: template.dropLast(), as: UTF8.self)
  }

  deinit { Self.remove(path) }

  /// A path in the directory.
  func file(_ name: String) -> String { "\(path)/\(name)" }

  private static func remove(_ path: String) {
    if let directory = unsafe opendir(path) {
      while let entry = unsafe readdir(directory) {
        let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
          unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        if name != ".", name != ".." { remove("\(path)/\(name)") }
      }
      unsafe closedir(directory)
      unsafe rmdir(path)
    } else {
      unsafe unlink(path)
    }
  }
}

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
