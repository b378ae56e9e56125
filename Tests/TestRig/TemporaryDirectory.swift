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
    cleanupKey = Cleanup.shared.add { try? FileManager.default.removeItem(atPath: path) }
  }

  deinit {
    Cleanup.shared.remove(cleanupKey)
    try? FileManager.default.removeItem(atPath: path)
  }

  /// The path of a file in the folder.
  public func file(_ name: String) -> String { "\(path)/\(name)" }
}
