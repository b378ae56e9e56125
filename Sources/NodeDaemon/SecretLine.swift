internal import Glibc
internal import System

/// A secret in a file of its own: its first line, without spaces.
enum SecretLine {
  /// Why there is none, as a sentence for people.
  struct Problem: Error, CustomStringConvertible {
    let description: String
  }

  private static let mostBytes = 4096

  /// Reads it; nil: no file is named.
  ///
  /// - Parameter setting: which names the file, for the words.
  static func read(_ path: String, of setting: Setting) throws(Problem) -> String? {
    guard !path.isEmpty else { return nil }
    let file = SystemCall.result { unsafe open(path, O_RDONLY | O_CLOEXEC) }
    guard file >= 0 else { throw unreadable(path, setting, Int32(file)) }
    let opened = Descriptor(owning: Int32(file))
    var bytes = [UInt8](repeating: 0, count: mostBytes + 1)
    let count = SystemCall.result { unsafe Glibc.read(opened.number, &bytes, bytes.count) }
    guard count >= 0 else { throw unreadable(path, setting, Int32(count)) }
    let line = bytes.prefix(count).prefix { $0 > 0x20 && $0 < 0x7F }
    guard (1...mostBytes).contains(line.count) else {
      throw Problem(
        description:
          "\(setting.rawValue) \(path) has no key in its first line; put it there, alone")
    }
    return String(decoding: line, as: UTF8.self)
  }

  private static func unreadable(
    _ path: String, _ setting: Setting, _ errorNumber: Int32
  ) -> Problem {
    Problem(
      description: "\(setting.rawValue) \(path) cannot be read: \(errorWords(errorNumber))")
  }
}
