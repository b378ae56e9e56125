public import Cryptography
public import Intercom
public import Mesh

/// Application lanes to nobody: nothing comes, and nothing can be sent.
public struct IdleLane: ApplicationLane {
  /// Lanes of a node without members.
  public init() {}

  /// No message ever comes.
  public func open(
    _ channel: LaneChannel, consumer: @escaping @Sendable (LaneMessage) async -> Void
  ) {}

  /// Nobody is a member.
  public func send(
    _ octets: [UInt8], on channel: LaneChannel, to node: NodeID, sequence: UInt64
  ) async throws(LaneError) { throw .notMember }

  /// Nobody is a member.
  public func deliver(
    _ octets: [UInt8], on channel: LaneChannel, to node: NodeID, sequence: UInt64
  ) async throws(LaneError) { throw .notMember }
}
