import Foundation

/// A folder of its own for one test, removed with all that is in it.
///
/// Its path is short enough for sockets.
final class TestFolder: Sendable {
  let path = "/tmp/comlink-test-\(UUID().uuidString.prefix(8))"

  init() throws {
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}
