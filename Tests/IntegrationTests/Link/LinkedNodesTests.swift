import StatusSchema
import Testing

@testable import TestRig

/// Two stations that hear each other over a bad network.
@Suite(.serialized, .enabled(if: Namespace.isPermitted, "\(Namespace.reason)"))
struct LinkedNodesTests {
  @Test func `round trip and loss are what the link does`() throws {
    let directory = try TemporaryDirectory(prefix: "comlink-test")
    let link = try LinkProcess(["--delay", "20", "--loss", "2"], in: directory)
    let a = try LinkedNode(
      "A", at: "10.77.0.1:5004", naming: "10.77.0.2:5004", in: link.namespace(0), directory)
    let b = try LinkedNode("B", at: "10.77.0.2:5004", in: link.namespace(1), directory)
    try a.talk()
    try b.talk()
    var seen: [PeerStatus?] = []
    try waitUntil(
      "two thousand packets each way", within: 90, interval: 1,
      detail: { "\(seen)\n\(a.process.outputTail())\n\(b.process.outputTail())" }
    ) { () throws(RigError) in
      seen = [try a.peer(), try b.peer()]
      return seen.allSatisfy { $0?.state == .connected && $0?.received ?? 0 > 2000 }
    }
    for peer in seen.compactMap({ $0 }) {
      let roundTrip = try #require(peer.roundTripMilliseconds)
      #expect((40...60).contains(roundTrip), "\(peer.name): \(roundTrip) ms")
      #expect((0.8...3.6).contains(peer.lossPercent), "\(peer.name): \(peer.lossPercent) %")
    }
  }
}
