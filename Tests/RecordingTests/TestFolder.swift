import Foundation

/// A folder of its own for a test, removed with the object.
final class TestFolder {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "comlink-recording-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// The bytes of a file in it.
  func bytes(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(fileURLWithPath: "\(path)/\(name)")))
  }
}

extension [UInt8] {
  /// The number in `count` bytes, lowest first.
  func number(at offset: Int, _ count: Int) -> Int {
    self[offset..<offset + count].reversed().reduce(0) { $0 << 8 | Int($1) }
  }

  /// Bytes as letters.
  func text(at offset: Int, _ count: Int) -> String {
    String(decoding: self[offset..<offset + count], as: UTF8.self)
  }
}
