internal import Cryptography
internal import NIOCore
internal import NIOSSL

/// A node's key in the form that TLS wants: a self-signed certificate (RFC 5280) of an Ed25519 key (RFC 8410).
///
/// Only the key in it means anything. There is no authority; who the other end is follows from the key alone, and that
/// it holds the private half from the signature that TLS 1.3 makes over the handshake (RFC 8446 §4.4.3). So neither
/// names nor the certificate's own signature are looked at, and dates are not either: boards without a clock begin in
/// 1970 at every start, and a key that expired would be a node that nobody knows any more. It is written here, and not
/// by a library, as it is 200 octets of a fixed form; swift-certificates would bring swift-crypto,
/// and with it a second BoringSSL.
enum NodeCertificate {
  /// `AlgorithmIdentifier` of id-Ed25519 (RFC 8410 §3), which must have no parameters.
  private static let algorithm: [UInt8] = [0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70]

  /// The certificate of a node.
  static func make(for identity: some ControlIdentity) throws(CryptoError) -> [UInt8] {
    typealias DER = DERReader
    let commonName = DER.element(DER.Tag.objectIdentifier, [0x55, 0x04, 0x03])
    let name = DER.element(
      DER.Tag.sequence,
      DER.element(
        DER.Tag.set,
        DER.element(
          DER.Tag.sequence, commonName, DER.element(DER.Tag.utf8String, Array("comlink".utf8)))))
    // RFC 5280 §4.1.2.5: no end.
    let validity = DER.element(
      DER.Tag.sequence, DER.element(DER.Tag.utcTime, Array("700101000000Z".utf8)),
      DER.element(DER.Tag.generalizedTime, Array("99991231235959Z".utf8)))
    let key = DER.element(
      DER.Tag.sequence, algorithm,
      DER.element(DER.Tag.bitString, [0], identity.publicKey.bytes))
    let body = DER.element(
      DER.Tag.sequence, DER.element(DER.Tag.version, DER.element(DER.Tag.integer, [2])),
      DER.element(DER.Tag.integer, [1]), algorithm, name, validity, name, key)
    let signature = try unsafe identity.signature(of: body.span.bytes)
    return DER.element(
      DER.Tag.sequence, body, algorithm, DER.element(DER.Tag.bitString, [0], signature))
  }

  /// The Ed25519 key in a certificate; nil when there is another kind of key, or none.
  static func key(in certificate: [UInt8]) -> PublicKey? {
    typealias Tag = DERReader.Tag
    var outside = DERReader(certificate[...])
    guard let whole = outside.next(Tag.sequence) else { return nil }
    var certificate = DERReader(whole)
    guard let body = certificate.next(Tag.sequence) else { return nil }
    var fields = DERReader(body)
    if fields.nextTag == Tag.version { _ = fields.next(Tag.version) }
    guard fields.next(Tag.integer) != nil else { return nil }
    // Signature algorithm, issuer, validity, subject.
    for _ in 0..<4 { guard fields.next(Tag.sequence) != nil else { return nil } }
    guard let information = fields.next(Tag.sequence),
      information.starts(with: algorithm)
    else { return nil }
    var bits = DERReader(information.dropFirst(algorithm.count))
    guard let key = bits.next(Tag.bitString), key.first == 0 else { return nil }
    return try? PublicKey(Array(key.dropFirst()))
  }
}

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
