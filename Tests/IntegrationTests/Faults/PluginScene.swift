import Foundation

@testable import TestRig

/// A speaker, and a listener whose sound the plugin in jackd plays, connected.
struct PluginScene {
  let line: Line
  let plugin: JackPlugin
  var server: JackServer
  var node: NodeProcess
  let speaker: Speaker
  private let directory: TemporaryDirectory
  private var program: String?

  init(in directory: TemporaryDirectory) throws(RigError) {
    self.directory = directory
    line = try Line(in: directory)
    plugin = try JackPlugin(.atStart, in: directory)
    server = try line.server(plugin: plugin)
    node = try line.listener(arguments: plugin.nodeArguments)
    speaker = try line.speaker()
    try node.waitUntilConnected(peers: 1, within: 30)
  }

  /// The same state, and so the same node.
  mutating func restartNode() throws(RigError) {
    node = try line.listener(arguments: plugin.nodeArguments, program: program)
  }

  /// Puts a new file into the program's place, under the feet of one that runs, as a package manager does.
  mutating func replaceProgram() throws {
    let path = directory.file("comlinkd")
    let copy = "\(path).dpkg-new"
    try FileManager.default.copyItem(atPath: Executables.path(of: "comlinkd"), toPath: copy)
    if unsafe rename(copy, path) != 0 { throw RigError.file(path: path, reason: "not replaced") }
    program = path
  }

  /// The next, once the last is gone.
  mutating func restartServer() throws(RigError) {
    server = try line.server(plugin: plugin)
  }

  /// Hears the mix.
  func ear() throws(RigError) -> Probe { try node.ear(on: server) }
}
