@testable import TestRig

/// A speaker, and a listener whose sound the plugin in jackd plays, connected.
struct PluginScene {
  let line: Line
  let plugin: JackPlugin
  var server: JackServer
  var node: NodeProcess
  let speaker: Speaker

  init(in directory: TemporaryDirectory) throws(RigError) {
    line = try Line(in: directory)
    plugin = try JackPlugin(.atStart, in: directory)
    server = try line.server(plugin: plugin)
    node = try line.listener(arguments: plugin.nodeArguments)
    speaker = try line.speaker()
    try node.waitUntilConnected(peers: 1, within: 30)
  }

  /// The same state, and so the same node.
  mutating func restartNode() throws(RigError) {
    node = try line.listener(arguments: plugin.nodeArguments)
  }

  /// The next, once the last is gone.
  mutating func restartServer() throws(RigError) {
    server = try line.server(plugin: plugin)
  }

  /// Hears the mix.
  func ear() throws(RigError) -> Probe { try node.ear(on: server) }
}
