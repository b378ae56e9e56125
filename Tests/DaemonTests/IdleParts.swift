import Cryptography
import EventLoop
import Mesh

@testable import Intercom

/// Control connections that nobody is at the other end of.
struct NoTransport: ControlTransport {
  func dial(_ attempt: AttemptID, _ address: NodeAddress) {}
  func abandon(_ attempt: AttemptID) {}
  func send(_ message: Message, on connection: ConnectionID) {}
  func close(_ connection: ConnectionID) {}
  func raiseLimit(of connection: ConnectionID) {}
  func endLane(of node: NodeID) {}
  var lane: NoLane { NoLane() }
}

/// Application lanes to nobody.
struct NoLane: ApplicationLane {
  func open(
    _ channel: LaneChannel, consumer: @escaping @Sendable (LaneMessage) async -> Void
  ) {}
  func send(
    _ octets: [UInt8], on channel: LaneChannel, to node: NodeID, sequence: UInt64
  ) async throws(LaneError) { throw .notMember }
  func deliver(
    _ octets: [UInt8], on channel: LaneChannel, to node: NodeID, sequence: UInt64
  ) async throws(LaneError) { throw .notMember }
}

/// A media path that takes everybody.
struct NoMedia: MediaGate {
  let knocks = AsyncStream<NodeID> { $0.finish() }
  func admit(_ member: MediaMember) async -> Bool { true }
  func expel(_ node: NodeID, saidGoodbye: Bool) async {}
  func freeName(of node: NodeID) async {}
  func calledNames() async -> [NodeID: String] { [:] }
  func install(_ key: MediaKey, of node: NodeID) async throws {}
  func presentMessage() async throws -> MediaKey {
    MediaKey(stream: 0, ssrc: 5, epoch: 0, octets: [1])
  }
  func makeNextMessage() async throws -> MediaKey {
    MediaKey(stream: 0, ssrc: 5, epoch: 1, octets: [2])
  }
  func useNextKey() async -> UInt64 { 1 }
  func heardNanoseconds(of node: NodeID) async -> Int64? { nil }
  func sendKnocks(at other: NodeID, _ addresses: [SocketAddress], as node: NodeID) async {}
}
