import Foundation

/// What a `jackd` needs to find the plugin `comlink.so`, and where they then meet `comlinkd`.
public struct JackPlugin: Sendable {
  /// How the server comes to have it.
  public enum Loading: Sendable {
    /// `jackd -I comlink`.
    case atStart
    /// ``load(into:socket:)``, or not at all.
    case byHand
  }

  /// Where jackd's own modules are: beside its library.
  private static let systemFolders = [
    "/usr/lib/x86_64-linux-gnu/jack", "/usr/lib/aarch64-linux-gnu/jack", "/usr/lib/jack",
    "/usr/local/lib/jack",
  ]

  /// How it is loaded.
  public let loading: Loading
  /// The socket by default, in a runtime directory of its own.
  public let socketPath: String
  /// What jackd's environment has to have.
  let environment: [String: String]

  /// jackd's arguments.
  var arguments: [String] { loading == .atStart ? ["-I", "comlink"] : [] }

  /// What `comlinkd` is told.
  public var nodeArguments: [String] { Self.nodeArguments(socket: socketPath) }

  /// What `comlinkd` is told of a plugin at that socket.
  public static func nodeArguments(socket: String) -> [String] {
    ["--via-plugin", "--plugin-socket", socket]
  }

  /// Makes a folder with jackd's own modules and the plugin, as an installation has.
  ///
  /// - Throws: `RigError`.
  public init(_ loading: Loading, in directory: TemporaryDirectory) throws(RigError) {
    self.loading = loading
    let files = FileManager.default
    let label = "plugin-\(UInt32.random(in: .min ... .max))"
    let modules = directory.file("\(label)-modules")
    let runtime = directory.file(label)
    socketPath = runtime + "/comlink/plugin.sock"
    environment = [
      "JACK_DRIVER_DIR": modules, "JACK_INTERNAL_DIR": modules, "XDG_RUNTIME_DIR": runtime,
    ]
    guard
      let system = Self.systemFolders.first(where: {
        files.fileExists(atPath: $0 + "/jack_dummy.so")
      })
    else { throw .missing(what: "jack_dummy.so", hint: "apt-get install jackd2") }
    let plugin = try Executables.path(of: "comlink.so")
    do {
      for folder in [modules, runtime] {
        try files.createDirectory(atPath: folder, withIntermediateDirectories: true)
      }
      for module in try files.contentsOfDirectory(atPath: system) {
        try files.createSymbolicLink(
          atPath: "\(modules)/\(module)", withDestinationPath: "\(system)/\(module)")
      }
      try files.createSymbolicLink(
        atPath: "\(modules)/comlink.so", withDestinationPath: plugin)
    } catch {
      throw .file(path: modules, reason: "\(error)")
    }
  }

  /// `jack_load`; what it and jackd say tells when it is refused.
  ///
  /// - Throws: `RigError`.
  public func load(
    into server: JackServer, as client: String = "comlink", socket: String? = nil
  ) throws(RigError) {
    try Self.run(
      "jack_load", ["-s", server.name, client, "comlink"] + (socket.map { [$0] } ?? []))
  }

  /// `jack_unload`; whether the client is gone is the caller's to see.
  ///
  /// That of jackd 1.9.21 can hang in libjack at its own end, with the client long unloaded: it is ended then.
  /// - Throws: `RigError`.
  public func unload(from server: JackServer, client: String = "comlink") throws(RigError) {
    try Self.run("jack_unload", [client, server.name], mayHang: true)
  }

  private static func run(
    _ program: String, _ arguments: [String], mayHang: Bool = false
  ) throws(RigError) {
    let directory = try TemporaryDirectory(prefix: "comlink-load")
    let process = try ChildProcess(program, arguments, outputPath: directory.file("log"))
    if mayHang, (try? process.wait(within: 5)) == nil {
      process.terminate()
      return
    }
    let status = try process.wait(within: 20)
    guard status == 0 else {
      throw .ended(command: process.command, status: status, output: process.outputTail())
    }
  }
}
