public import Cryptography
public import Mesh

/// A connection on which two nodes pair: TLS proved who both are, and nothing else is known of the other.
///
/// Any thread; one ``receive()`` at a time. Closed when nobody holds on to what it is for: by ``close()``, or when
/// ``ControlPlaneHandler/pair(_:)`` returns.
public final class PairingChannel: Sendable {
  /// The other node's key.
  public let peerKey: PublicKey
  /// The other node.
  public let peer: NodeID
  /// Where it is.
  public let remote: NodeAddress?

  private let connection: SecureConnection

  init?(_ connection: SecureConnection) {
    guard let peerKey = connection.peerKey else { return nil }
    self.peerKey = peerKey
    peer = NodeID(of: peerKey)
    remote = connection.remote
    self.connection = connection
  }

  /// Sends a frame, and waits until the kernel has it.
  ///
  /// - Parameter frame: 1 octet to 64 KiB.
  public func send(_ frame: [UInt8]) async throws(ControlPlaneError) {
    let maximum = connection.exchange.configuration.limits.pairingBytes
    guard (1...maximum).contains(frame.count) else {
      throw .frame(byteCount: frame.count, maximum: maximum)
    }
    try await withCheckedContinuation { continuation in
      connection.exchange.gate.run {
        self.connection.sendFrame(frame) { continuation.resume(returning: $0) }
      } orElse: {
        continuation.resume(returning: Result<Void, ControlPlaneError>.failure(.stopped))
      }
    }.get()
  }

  /// The other's next frame; throws when it takes longer than 10 s, or the connection ended.
  public func receive() async throws(ControlPlaneError) -> [UInt8] {
    try await withCheckedContinuation { continuation in
      connection.exchange.gate.run {
        self.connection.takeFrame { continuation.resume(returning: $0) }
      } orElse: {
        continuation.resume(returning: Result<[UInt8], ControlPlaneError>.failure(.stopped))
      }
    }.get()
  }

  /// Ends it, after what was sent.
  public func close() {
    connection.exchange.gate.run {
      self.connection.close()
    }
  }
}
