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

  /// Builds it.
  public init() throws {
    let number = Self.counter.add(1, ordering: .relaxed).newValue
    folder = "/tmp/comlink-plugin-\(getpid())-\(number)"
    guard unsafe mkdir(folder, 0o700) == 0 else { throw Missing(what: folder, output: "") }
    guard let system = Self.systemFolders.first(where: { unsafe access($0, R_OK) == 0 }) else {
      throw Missing(what: "jackd's modules", output: "")
    }
    let script = "\(Self.sourceRoot)/CSupport/JackPlugin/build.sh"
    let steps = [
      TestProcess.output("bash", [script, "\(folder)/comlink.so"]),
      TestProcess.output("bash", ["-c", "ln -s \(system)/*.so \(folder)/"]),
    ]
    guard unsafe access("\(folder)/comlink.so", R_OK) == 0 else {
      throw Missing(what: "comlink.so", output: steps.joined())
    }
  }

  deinit {
    _ = TestProcess.output("rm", ["-rf", folder])
  }

  private static var sourceRoot: String {
    #filePath.split(separator: "/").dropLast(3).reduce("") { "\($0)/\($1)" }
  }
}
