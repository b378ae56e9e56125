import Glibc
import Synchronization

/// The plugin `comlink.so`, built from source, in a folder from which a jackd can load it.
public final class TestPlugin: Sendable {
  private static let counter = Atomic<Int>(0)
  /// Where jackd's own modules are.
  private static let systemFolders = [
    "/usr/lib/x86_64-linux-gnu/jack", "/usr/lib/aarch64-linux-gnu/jack", "/usr/lib/jack",
    "/usr/local/lib/jack",
  ]

  /// What is missing, and what was said of it.
  struct Missing: Error {
    let what: String
    let output: String
  }

  private let folder: String

  /// Where a plugin that is not told otherwise waits for the daemon.
  public var socketPath: String { "\(folder)/comlink/plugin.sock" }

  /// What jackd's environment has to have, as "NAME=value".
  public var environment: [String] {
    ["JACK_DRIVER_DIR=\(folder)", "JACK_INTERNAL_DIR=\(folder)", "XDG_RUNTIME_DIR=\(folder)"]
  }

  /// jackd's arguments to have it from the start.
  public let arguments = ["-I", "comlink"]

  /// Builds it, the first time in this process.
  ///
  /// - Parameter hasOtherLayout: as one of another version, which shares memory of another layout.
  public init(hasOtherLayout: Bool = false) throws {
    let library = try (hasOtherLayout ? Self.otherLibrary : Self.library).get()
    folder = Self.unusedFolder()
    guard unsafe mkdir(folder, 0o700) == 0 else { throw Missing(what: folder, output: "") }
    guard let system = Self.systemFolders.first(where: { unsafe access($0, R_OK) == 0 }) else {
      throw Missing(what: "jackd's modules", output: "")
    }
    try Self.write(library, to: "\(folder)/comlink.so")
    _ = TestProcess.output("bash", ["-c", "ln -s \(system)/*.so \(folder)/"])
  }

  deinit { Self.remove(folder) }

  private static func unusedFolder() -> String {
    "/tmp/comlink-plugin-\(getpid())-\(counter.add(1, ordering: .relaxed).newValue)"
  }

  private static func remove(_ folder: String) { _ = TestProcess.output("rm", ["-rf", folder]) }

  /// What was built, kept in memory: no file of it outlasts the process.
  private static let library = Result<[UInt8], Missing> { () throws(Missing) in try build() }
  /// The same from sources whose rings are half as long.
  private static let otherLibrary = Result<[UInt8], Missing> { () throws(Missing) in
    try build(editing: "s/RT_SIGNAL_RING_FRAMES = 16384/RT_SIGNAL_RING_FRAMES = 8192/")
  }

  /// - Parameter edit: a command of sed's for CRealtime.h.
  private static func build(editing edit: String = "") throws(Missing) -> [UInt8] {
    let folder = unusedFolder()
    guard unsafe mkdir(folder, 0o700) == 0 else { throw Missing(what: folder, output: "") }
    defer { remove(folder) }
    _ = TestProcess.output(
      "cp", ["-r", "\(sourceRoot)/CSupport/CRealtime", "\(sourceRoot)/CSupport/JackPlugin", folder])
    _ = TestProcess.output("sed", ["-i", edit, "\(folder)/CRealtime/include/CRealtime.h"])
    let script = "\(folder)/JackPlugin/build.sh"
    let output = TestProcess.output("bash", [script, "\(folder)/comlink.so"])
    guard let file = unsafe fopen("\(folder)/comlink.so", "r") else {
      throw Missing(what: "comlink.so", output: output)
    }
    defer { unsafe fclose(file) }
    var (bytes, part) = ([UInt8](), [UInt8](repeating: 0, count: 1 << 16))
    while case let count = unsafe fread(&part, 1, part.count, file), count > 0 {
      bytes += part[..<count]
    }
    return bytes
  }

  private static func write(_ bytes: [UInt8], to path: String) throws(Missing) {
    guard let file = unsafe fopen(path, "w") else { throw Missing(what: path, output: "") }
    let written = unsafe fwrite(bytes, 1, bytes.count, file)
    guard unsafe fclose(file) == 0, written == bytes.count else {
      throw Missing(what: path, output: "")
    }
  }

  private static var sourceRoot: String {
    #filePath.split(separator: "/").dropLast(3).reduce("") { "\($0)/\($1)" }
  }
}
