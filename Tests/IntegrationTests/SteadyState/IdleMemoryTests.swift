import Testing

@testable import TestRig

extension RealNodeTests {
  @Suite struct IdleMemoryTests {
    /// Beyond what JACK maps into each of its clients.
    private static let limitMegabytes = 25.0

    @Test func `an idle node is small`() throws {
      let directory = try TemporaryDirectory(prefix: "comlink-test")
      let server = try JackServer("idle", periodFrames: 256, in: directory)
      let options = NodeProcess.Options(port: try LoopbackPorts.free(1)[0])
      let node = try NodeProcess("node", on: server, options: options, in: directory)
      defer { node.process.terminate() }
      try node.waitUntilConnected(peers: 0, within: 30)
      // What only the start needed is let go 5 s after it.
      pause(seconds: 7)
      // JACK's own memory is locked with the rest, so that it is there to be left out.
      let whole = try #require(
        ProcessUsage.proportionalSetMegabytes(of: node.process.identifier))
      let own = try #require(
        ProcessUsage.proportionalSetMegabytes(
          of: node.process.identifier, excluding: ["/dev/shm/jack"]))
      #expect(own < whole)
      #expect(own <= Self.limitMegabytes)
    }
  }
}
