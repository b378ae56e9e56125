internal import ArgumentParser
internal import Remote

/// A command about one node, whose only answer is "done".
protocol PeerCommand: ParsableCommand {
  var peer: String { get }
  var remote: RemoteOptions { get }
  /// What is asked for.
  var request: ControlRequest { get }
}

extension PeerCommand {
  func run() throws { try remote.ask(request) }
}
