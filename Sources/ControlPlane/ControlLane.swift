public import Cryptography
public import Mesh
internal import ServiceLoop

/// The application lanes between this node and all members, over its control connections.
///
/// Any thread. A message is acknowledged when the receiver's consumer has done with it, and comes in order with the
/// others of its channel, whatever becomes of connections meanwhile. Once, unless the receiver starts anew or this end
/// is refused: then a message that was not acknowledged may come again, by the same key.
public struct ControlLane: Sendable {
  private let exchange: Exchange

  init(_ exchange: Exchange) { self.exchange = exchange }

  /// Takes the messages of a channel from now on, one at a time, of all senders in turn.
  ///
  /// - Parameter consumer: acknowledges a message by returning; no other channel waits for it. One a channel: another
  ///   takes its place.
  public func open(
    _ channel: LaneChannel, consumer: @escaping @Sendable (LaneMessage) async -> Void
  ) {
    let lanes = exchange.lanes
    exchange.gate.run { lanes.open(channel, consumer) }
  }

  /// Sends a message, and waits until it has its place among those that go out.
  ///
  /// - Parameter sequence: its number, below 2⁶², that no other message of this node has on this channel, in this run
  ///   or another; the same message may go to any number of nodes by the same.
  public func send(
    _ octets: [UInt8], on channel: LaneChannel, to node: NodeID, sequence: UInt64
  ) async throws(LaneError) {
    try await answer { lanes, answer in
      lanes.send(octets, on: channel, to: node, sequence: sequence, whenQueued: answer)
    }
  }

  /// Sends a message, and waits until the other node has acknowledged it.
  ///
  /// - Parameter sequence: as of ``send(_:on:to:sequence:)``.
  public func deliver(
    _ octets: [UInt8], on channel: LaneChannel, to node: NodeID, sequence: UInt64
  ) async throws(LaneError) {
    try await answer { lanes, answer in
      lanes.send(octets, on: channel, to: node, sequence: sequence, whenDelivered: answer)
    }
  }

  private func answer(
    to body: @escaping @Sendable (LanePort, @escaping LanePort.Answer) -> Void
  ) async throws(LaneError) {
    let lanes = exchange.lanes
    try await withCheckedContinuation { continuation in
      exchange.gate.run {
        body(lanes) { continuation.resume(returning: $0) }
      } orElse: {
        continuation.resume(returning: Result<Void, LaneError>.failure(.stopped))
      }
    }.get()
  }
}
