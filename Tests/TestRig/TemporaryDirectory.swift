import Foundation
import Glibc

/// A folder of its own under the system's temporary folder, removed with its owner.
public final class TemporaryDirectory: Sendable {
  /// Absolute path.
  public let path: String
  private let cleanupKey: Int

  /// Makes the folder, readable by its owner only.
  ///
  /// - Throws: `RigError.file`.
  public init(prefix: String = "comlink") throws(RigError) {
    let folder = FileManager.default.temporaryDirectory.path
    var template = Array("\(folder)/\(prefix)-XXXXXX".utf8CString)
    guard unsafe mkdtemp(&template) != nil else {
      throw .file(path: folder, reason: systemMessage(errno))
    }
    let path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    self.path = path
    cleanupKey = Cleanup.shared.add { Self.remove(path) }
  }

  deinit {
    // In this order: a signal meanwhile ends the process only once the folder is gone.
    Self.remove(path)
    Cleanup.shared.remove(cleanupKey)
  }

  /// Owner and signal may do it at once, and either stops at what the other took away: again until nothing is left.
  private static func remove(_ path: String) {
    for _ in 0..<100 where FileManager.default.fileExists(atPath: path) {
      try? FileManager.default.removeItem(atPath: path)
    }
  }

  /// The path of a file in the folder.
  public func file(_ name: String) -> String { "\(path)/\(name)" }

  /// The ends of all logs in the folder, each under its name: what one node lacks another may tell.
  public func logTails(lines: Int = 16) -> String {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    return names.filter { $0.hasSuffix(".log") }.sorted().map { name in
      let tail = (text(ofFile: file(name)) ?? "").split(separator: "\n").suffix(lines)
      return "== \(name)\n\(tail.joined(separator: "\n"))"
    }.joined(separator: "\n")
  }
}
