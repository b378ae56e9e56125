import Foundation
import TestRig

/// Files of 32-bit floats, which Python and the tests read as they are.
enum RawSound {
  /// Writes a file.
  ///
  /// - Throws: `RigError.file`.
  static func write(_ samples: [Float], to path: String) throws(RigError) {
    let data = unsafe samples.withUnsafeBytes { unsafe Data($0) }
    guard FileManager.default.createFile(atPath: path, contents: data) else {
      throw .file(path: path, reason: "cannot be written")
    }
  }

  /// Reads a file.
  ///
  /// - Throws: `RigError.file`.
  static func read(_ path: String) throws(RigError) -> [Float] {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw .file(path: path, reason: "cannot be read")
    }
    var result = [Float](repeating: 0, count: data.count / MemoryLayout<Float>.stride)
    _ = unsafe result.withUnsafeMutableBytes { unsafe data.copyBytes(to: $0) }
    return result
  }
}
