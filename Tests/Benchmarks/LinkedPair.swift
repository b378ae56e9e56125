import TestRig

/// Two stations in network namespaces that know each other over the emulated link.
struct LinkedPair {
  private static let port = 5004

  let link: LinkProcess
  let a: Station
  let b: Station

  /// Starts link, servers and nodes, and waits until the nodes are connected; needs root.
  ///
  /// - Parameters:
  ///   - arguments: of both nodes.
  ///   - linkOptions: of `comlink-link`.
  ///   - driftPPM: how much faster A's clock is.
  /// - Throws: `RigError`.
  init(
    periodFrames: Int, arguments: [String], linkOptions: [String], recordSeconds: Double,
    driftPPM: Double = 0, in directory: TemporaryDirectory
  ) throws(RigError) {
    let link = try LinkProcess(linkOptions, in: directory)
    self.link = link
    func station(_ index: Int) throws(RigError) -> Station {
      var options = NodeProcess.Options(port: Self.port)
      options.address = link.address(index)
      options.namespace = link.namespace(index)
      options.arguments =
        ["--peer", "\(link.address(1 - index)):\(Self.port)"] + arguments
      return try Station(
        ["A", "B"][index], periodFrames: periodFrames, options: options,
        recordSeconds: recordSeconds, earInputs: 1, driftPPM: index == 0 ? driftPPM : 0,
        in: directory)
    }
    a = try station(0)
    b = try station(1)
    try a.node.waitUntilConnected(peers: 1, within: 20)
    try b.node.waitUntilConnected(peers: 1, within: 20)
  }

  /// Ends everything; twice is harmless.
  func stop() {
    a.stop()
    b.stop()
    _ = link.end()
  }
}
