internal import Glibc
internal import System

/// Reads what the kernel and the system tell by files; a test plants a tree of its own.
struct FileTree: Sendable {
  private static let limitBytes = 1 << 18

  /// Goes before each path; empty: this system.
  let root: String

  /// A file's text without blanks and line ends around it; nil: it cannot be read.
  func text(_ path: String) -> String? {
    let file = unsafe open(root + path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 16_384)
    while bytes.count < Self.limitBytes {
      let count = SystemCall.result { unsafe read(file, &part, part.count) }
      guard count > 0 else {
        guard count == 0 else { return nil }
        break
      }
      bytes += part[..<count]
    }
    let isBlank = { (byte: UInt8) in byte == 0x20 || (0x09...0x0D).contains(byte) || byte == 0 }
    let text = bytes.drop(while: isBlank).reversed().drop(while: isBlank).reversed()
    return String(decoding: Array(text), as: UTF8.self)
  }

  /// A file's only number.
  func number(_ path: String) -> Int? { text(path).flatMap { Int($0) } }

  /// A file's lines without empty ones; none where it cannot be read.
  func lines(_ path: String) -> [Substring] { text(path)?.split(separator: "\n") ?? [] }

  /// What is in a directory, sorted; nothing where it cannot be read.
  func names(in path: String) -> [String] {
    guard let folder = unsafe opendir(root + path) else { return [] }
    defer { unsafe closedir(folder) }
    var names: [String] = []
    while let entry = unsafe readdir(folder) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
        unsafe name.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  /// Whether there is something of that name.
  func exists(_ path: String) -> Bool { unsafe access(root + path, F_OK) == 0 }
}
