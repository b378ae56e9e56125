import Foundation
import Glibc

/// A control group that can have little memory (cgroup v1's memory controller, or v2); needs root.
///
/// What a process has is counted in the group in which it got it, and stays there: it has to start in the group.
final class MemoryGroup: Sendable {
  /// A memory controller, and the names of its files; `hits` counts how often the limit was in the way.
  private struct Controller {
    var folder: String
    var limit: String
    var usage: String
    var hits: String
    var noLimit: String
  }

  private static let controllers = [
    Controller(
      folder: "/sys/fs/cgroup/memory", limit: "memory.limit_in_bytes",
      usage: "memory.usage_in_bytes", hits: "memory.failcnt", noLimit: "-1"),
    Controller(
      folder: "/sys/fs/cgroup", limit: "memory.max", usage: "memory.current",
      hits: "memory.events", noLimit: "max"),
  ]
  /// Beyond what the process has: too little for what is written beside it.
  private static let spareBytes = 16 << 20
  private static let fillerMegabytes = 64
  /// A node that started in the group has more in it.
  private static let leastBytes = 2 << 20

  /// Whether this machine lets us make one.
  static var isPermitted: Bool { controller != nil && geteuid() == 0 }

  private static var controller: Controller? {
    controllers.first { controller in
      guard unsafe access("\(controller.folder)/cgroup.procs", W_OK) == 0 else { return false }
      return controller.limit == "memory.limit_in_bytes"
        || text(ofFile: "\(controller.folder)/cgroup.subtree_control")?.contains("memory") == true
    }
  }

  private let controller: Controller
  private let folder: String
  private let cleanupKey: Int

  init(name: String) throws(RigError) {
    guard let controller = Self.controller else {
      throw .missing(what: "a memory controller", hint: "mount cgroup v1's or v2's")
    }
    self.controller = controller
    folder = "\(controller.folder)/\(name)"
    let folder = folder
    guard unsafe mkdir(folder, 0o755) == 0 else {
      throw .file(path: folder, reason: systemMessage(errno))
    }
    cleanupKey = Cleanup.shared.add { Self.remove(folder) }
  }

  deinit { remove() }

  /// What a command begins with to start in the group; it becomes the process that follows.
  var entry: [String] {
    ["sh", "-c", "echo $$ >'\(folder)/cgroup.procs' && exec \"$@\"", "sh"]
  }

  /// Limits the group to little more than what is in it, and writes files from within for as long as that takes.
  ///
  /// - Throws: `RigError`, also where nothing was in the group, or the limit was never in the way.
  func press(in directory: TemporaryDirectory) throws(RigError) {
    let used = Int(content(controller.usage)) ?? 0
    guard used > Self.leastBytes else {
      throw .status(reason: "\(used) octets in \(folder): no node started there")
    }
    let before = hits
    try write("\(used + Self.spareBytes)", to: "\(folder)/\(controller.limit)")
    defer { try? write(controller.noLimit, to: "\(folder)/\(controller.limit)") }
    let filler = directory.file("filler")
    defer { unsafe unlink(filler) }
    let script = """
      dd if=/dev/zero of='\(filler)' bs=1M count=\(Self.fillerMegabytes) && cat '\(filler)' >/dev/null
      """
    let words = entry + ["sh", "-c", script]
    let hog = try ChildProcess(
      words[0], Array(words.dropFirst()), outputPath: directory.file("hog.log"))
    guard try hog.wait(within: 60) == 0 else {
      throw .launch(command: hog.command, reason: hog.output)
    }
    guard hits > before else {
      throw .status(reason: "the limit of \(folder) was in nobody's way")
    }
  }

  /// How often somebody wanted more than there may be.
  private var hits: Int {
    let all = content(controller.hits)
    let line = all.split(separator: "\n").last { $0.hasPrefix("max ") } ?? all[...]
    return line.split(separator: " ").last.flatMap { Int($0) } ?? 0
  }

  /// The content of one of its files, without the line's end.
  private func content(_ name: String) -> String {
    (text(ofFile: "\(folder)/\(name)") ?? "")
      .trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// Removes it, once it is empty; twice is harmless.
  func remove() {
    Cleanup.shared.remove(cleanupKey)
    Self.remove(folder)
  }

  private static func remove(_ folder: String) {
    for _ in 0..<100 where unsafe rmdir(folder) != 0 && errno == EBUSY { pause(seconds: 0.02) }
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
