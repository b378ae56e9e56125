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

  /// What a file has; nothing where there is none.
  func text(of name: String) -> String {
    let octets = FileManager.default.contents(atPath: "\(path)/\(name)") ?? Data()
    return String(decoding: octets, as: UTF8.self)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// A tone as a WAV file: 16 bits, mono, 48 kHz.
enum ToneFile {
  static func write(_ path: String, seconds: Double) throws {
    func little(_ value: Int, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    let frames = Int(48_000 * seconds)
    var bytes = Array("RIFF".utf8) + little(36 + 2 * frames, 4) + Array("WAVEfmt ".utf8)
    bytes += little(16, 4) + little(1, 2) + little(1, 2) + little(48_000, 4) + little(96_000, 4)
    bytes += little(2, 2) + little(16, 2) + Array("data".utf8) + little(2 * frames, 4)
    for index in 0..<frames { bytes += little(Int(9000 * sin(Double(index) / 17)), 2) }
    try Data(bytes).write(to: URL(fileURLWithPath: path))
  }
}
