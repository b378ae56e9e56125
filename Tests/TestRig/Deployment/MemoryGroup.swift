import Foundation
import Glibc

/// A control group with little memory (cgroup v1's memory controller, or v2); needs root.
final class MemoryGroup {
  private static let roots = [
    (folder: "/sys/fs/cgroup/memory", limit: "memory.limit_in_bytes"),
    (folder: "/sys/fs/cgroup", limit: "memory.max"),
  ]
  /// Beyond what the process has: too little for what is written beside it.
  private static let spareBytes = 16 << 20
  private static let fillerMegabytes = 64

  /// Whether this machine lets us make one.
  static var isPermitted: Bool { root != nil && geteuid() == 0 }

  private static var root: (folder: String, limit: String)? {
    roots.first { root in
      guard unsafe access("\(root.folder)/cgroup.procs", W_OK) == 0 else { return false }
      return root.limit == "memory.limit_in_bytes"
        || text(ofFile: "\(root.folder)/cgroup.subtree_control")?.contains("memory") == true
    }
  }

  private let parent: String
  private let folder: String
  private let limit: String

  init(name: String) throws(RigError) {
    guard let root = Self.root else {
      throw .missing(what: "a memory controller", hint: "mount cgroup v1's or v2's")
    }
    parent = root.folder
    limit = root.limit
    folder = "\(root.folder)/\(name)"
    guard unsafe mkdir(folder, 0o755) == 0 else {
      throw .file(path: folder, reason: systemMessage(errno))
    }
  }

  /// Moves a process in, limits the group, and writes files from within for as long as that takes.
  func press(_ process: Int32, in directory: TemporaryDirectory) throws(RigError) {
    try write("\(process)", to: "\(folder)/cgroup.procs")
    defer { try? write("\(process)", to: "\(parent)/cgroup.procs") }
    let used = ProcessUsage.proportionalSetMegabytes(of: process) ?? 0
    try write("\(Int(used * 1_048_576) + Self.spareBytes)", to: "\(folder)/\(limit)")
    let filler = directory.file("filler")
    defer { unsafe unlink(filler) }
    let script = """
      echo $$ >'\(folder)/cgroup.procs' && dd if=/dev/zero of='\(filler)' bs=1M \
      count=\(Self.fillerMegabytes) && cat '\(filler)' >/dev/null
      """
    let hog = try ChildProcess("sh", ["-c", script], outputPath: directory.file("hog.log"))
    guard try hog.wait(within: 60) == 0 else {
      throw .launch(command: hog.command, reason: hog.output)
    }
  }

  /// Removes it, once it is empty.
  func remove() {
    for _ in 0..<100 where unsafe rmdir(folder) != 0 { pause(seconds: 0.02) }
  }

  private func write(_ text: String, to path: String) throws(RigError) {
    let file = unsafe open(path, O_WRONLY | O_CLOEXEC)
    guard file >= 0 else { throw .file(path: path, reason: systemMessage(errno)) }
    defer { close(file) }
    let bytes = Array(text.utf8)
    guard unsafe Glibc.write(file, bytes, bytes.count) == bytes.count else {
      throw .file(path: path, reason: systemMessage(errno))
    }
  }
}
