import Cryptography
import EventLoop
import Mesh
import TestNode

@testable import Intercom

/// Control connections that nobody is at the other end of.
struct NoTransport: ControlTransport {
  func dial(_ attempt: AttemptID, _ address: NodeAddress) {}
  func abandon(_ attempt: AttemptID) {}
  func send(_ message: Message, on connection: ConnectionID) {}
  func close(_ connection: ConnectionID) {}
  func raiseLimit(of connection: ConnectionID) {}
  func endLane(of node: NodeID) {}
  var lane: IdleLane { IdleLane() }
}

/// A media path that takes everybody.
struct NoMedia: MediaGate {
  let knocks = AsyncStream<NodeID> { $0.finish() }
  func admit(_ member: Member) async -> Bool { true }
  func expel(_ node: NodeID, saidGoodbye: Bool) async {}
  func freeName(of node: NodeID) async {}
  func calledNames() async -> [NodeID: String] { [:] }
  func install(_ key: MediaKey, of node: NodeID) async throws {}
  func endStream(_ number: Int, of node: NodeID) async {}
  func ownKey(of number: Int) async -> MediaKey? {
    MediaKey(stream: 0, ssrc: 5, epoch: 0, octets: [1])
  }
  func makeNextKey(of number: Int) async throws(CryptoError) -> MediaKey? { nil }
  func useNextKey(of number: Int) async {}
  func openStream(
    of source: Int, to audience: StreamAudience, listeners: StreamListeners
  ) async throws -> MediaKey {
    MediaKey(stream: 1, audience: audience, ssrc: 5, epoch: 0, octets: [1])
  }
  func setListeners(_ listeners: StreamListeners, of number: Int) async {}
  func closeStream(_ number: Int) async {}
  func heardNanoseconds(of node: NodeID) async -> Int64? { nil }
  func sendKnocks(at other: NodeID, _ addresses: [SocketAddress], as node: NodeID) async {}
}
