internal import NIOCore
internal import NIOSSL

/// A node's key as TLS signs with it: by asking whoever keeps it, so that the seed never leaves its guarded memory.
struct IdentityKey: NIOSSLCustomPrivateKey, Hashable {
  private let identity: any ControlIdentity

  init(_ identity: any ControlIdentity) { self.identity = identity }

  var signatureAlgorithms: [SignatureAlgorithm] { [.ed25519] }

  func sign(
    channel: any Channel, algorithm: SignatureAlgorithm, data: ByteBuffer
  ) -> EventLoopFuture<ByteBuffer> {
    let message = Array(data.readableBytesView)
    do {
      let signature = try unsafe identity.signature(of: message.span.bytes)
      return channel.eventLoop.makeSucceededFuture(ByteBuffer(bytes: signature))
    } catch {
      return channel.eventLoop.makeFailedFuture(error)
    }
  }

  /// TLS 1.3 never asks for it.
  func decrypt(channel: any Channel, data: ByteBuffer) -> EventLoopFuture<ByteBuffer> {
    channel.eventLoop.makeFailedFuture(NIOSSLError.failedToLoadPrivateKey)
  }

  static func == (one: IdentityKey, other: IdentityKey) -> Bool {
    one.identity.publicKey == other.identity.publicKey
  }

  func hash(into hasher: inout Hasher) { hasher.combine(identity.publicKey) }
}
