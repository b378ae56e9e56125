internal import FoundationEssentials
internal import Glibc
internal import System

/// What the daemon finds around it when it starts; tests bring their own.
struct Surroundings: Sendable {
  /// What came of reading a file.
  enum FileContents: Sendable {
    case text(String)
    case missing
    case unreadable(words: String)
  }

  /// Environment variables.
  var environment: [String: String]
  /// The machine's name.
  var hostName: String
  /// Reads a whole file.
  var read: @Sendable (_ path: String) -> FileContents

  /// The ones of this process.
  static var ofThisProcess: Surroundings {
    Surroundings(
      environment: ProcessInfo.processInfo.environment, hostName: ownHostName, read: readFile)
  }

  /// Where configuration is looked for, the first that exists is taken.
  var standardPaths: [String] {
    var paths = ["/etc/comlink/comlink.toml"]
    if let folder = environment["XDG_CONFIG_HOME"], folder.hasPrefix("/") {
      paths.insert("\(folder)/comlink/comlink.toml", at: 0)
    } else if let home = environment["HOME"], home.hasPrefix("/") {
      paths.insert("\(home)/.config/comlink/comlink.toml", at: 0)
    }
    return paths
  }

  /// The machine's name now.
  static var ownHostName: String {
    var name = [CChar](repeating: 0, count: 256)
    guard unsafe gethostname(&name, name.count - 1) == 0 else { return "" }
    return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  private static func readFile(_ path: String) -> FileContents {
    guard let file = unsafe fopen(path, "re") else {
      let code = errno
      return code == ENOENT || code == ENOTDIR ? .missing : .unreadable(words: errorWords(code))
    }
    defer { unsafe fclose(file) }
    let limitBytes = 1 << 20
    var bytes = [UInt8](repeating: 0, count: limitBytes + 1)
    let count = unsafe fread(&bytes, 1, bytes.count, file)
    if unsafe ferror(file) != 0 { return .unreadable(words: "read error") }
    guard count <= limitBytes else {
      return .unreadable(words: "it is longer than \(limitBytes) bytes")
    }
    guard let text = String(validating: bytes.prefix(count), as: UTF8.self) else {
      return .unreadable(words: "it is not UTF-8")
    }
    return .text(text)
  }
}
