internal import Cryptography
internal import NIOCore
internal import NIOSSL

/// What the other end showed in TLS's handshake on one connection, and TLS itself.
///
/// Confined to the event loop: hence `@unchecked`.
final class PeerCertificate: @unchecked Sendable {
  /// Shown, and proved, in this handshake.
  private(set) var key: PublicKey?
  /// Whether it showed a certificate that is of no node.
  private(set) var isForeign = false

  /// Who is at the other end.
  var node: NodeID? { key.map(NodeID.init(of:)) }

  /// TLS for a connection that we open for a purpose, or, without one, that another node opened.
  func handler(_ contexts: SecureContexts, purpose: Purpose?) throws -> NIOSSLHandler {
    let verify: NIOSSLCustomVerificationCallback = { [weak self] certificates, promise in
      promise.succeed(self?.takes(certificates) == true ? .certificateVerified : .failed)
    }
    return switch purpose {
    case nil:
      NIOSSLServerHandler(context: contexts.accepting, customVerificationCallback: verify)
    case .control:
      try NIOSSLClientHandler(
        context: contexts.dialling, serverHostname: nil, customVerificationCallback: verify)
    case .pairing:
      try NIOSSLClientHandler(
        context: contexts.pairing, serverHostname: nil, customVerificationCallback: verify)
    }
  }

  /// The key of whoever is at the other end; TLS proves that it holds it.
  private func takes(_ certificates: [NIOSSLCertificate]) -> Bool {
    key = certificates.first.flatMap { try? $0.toDERBytes() }.flatMap(NodeCertificate.key(in:))
    isForeign = key == nil
    return !isForeign
  }
}

/// What a connection is for, as ALPN tells (RFC 7301).
enum Purpose: String, CaseIterable, Sendable {
  /// Messages between nodes.
  case control = "comlink/1"
  /// A pairing by PIN.
  case pairing = "comlink-pair/1"
}
