import Glibc
import StatusSchema
import TestKit
import Testing

@testable import TestRig

extension FaultTests {
  /// A stall at the sender costs the listener itself, and little more.
  @Suite struct SenderStallTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory(prefix: "comlink-test") }

    /// What stands still there.
    enum Staller: String, CaseIterable { case server, client }

    /// A listener has made up, or received too late, so many milliseconds of a peer.
    private func spoiltMilliseconds(in node: NodeProcess) throws -> Double {
      let status = try node.status()
      let peer = try #require(status.peers.first { $0.name == "A" })
      return Double(peer.late + peer.concealed) * status.node.ptimeMilliseconds
    }

    @Test(
      arguments: Seeds.areAll ? ["none", "stage", "wifi", "saver"] : ["stage", "wifi"],
      Staller.allCases)
    func `a stall costs itself and at most 100 ms`(profile: String, staller: Staller) throws {
      let line = try Line(in: directory)
      let server = try line.server()
      defer { server.stop() }
      let arguments = ["--profile", profile]
      let node = try line.listener(arguments: arguments)
      let speaker = try line.speaker(arguments: arguments)
      try node.waitUntilConnected(peers: 1, within: 30)
      try speaker.hum()
      pause(seconds: 3)
      for milliseconds in Seeds.areAll ? [40, 100, 150, 200, 300, 500, 1000, 5000] : [200, 500] {
        // A machine that stalls spoils some more: the least of three.
        var spoilt: [Double] = []
        let bound = Double(milliseconds + 100)
        while spoilt.count < 3, !spoilt.contains(where: { $0 <= bound }) {
          let before = try spoiltMilliseconds(in: node)
          speaker.stall(staller, milliseconds: milliseconds)
          pause(seconds: 3)
          spoilt.append(try spoiltMilliseconds(in: node) - before)
        }
        #expect(spoilt.contains { $0 <= bound }, "\(milliseconds) ms cost \(spoilt) ms")
      }
      let talker = try #require(try node.status().peers.first { $0.name == "A" })
      #expect(talker.state == .connected && talker.received > 100)
    }
  }
}

extension Speaker {
  /// Stops its JACK server, or the client before its microphone, for a while.
  fileprivate func stall(
    _ staller: FaultTests.SenderStallTests.Staller, milliseconds: Int
  ) {
    let seconds = Double(milliseconds) / 1000
    switch staller {
    case .server:
      station.server.process.send(signal: SIGSTOP)
      pause(seconds: seconds)
      station.server.process.send(signal: SIGCONT)
    case .client: station.mouth.hang(seconds: seconds)
    }
  }
}
