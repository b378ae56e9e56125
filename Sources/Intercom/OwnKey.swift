public import Cryptography

/// The key of a stream of this node, present or next, for its audience: a secret, which its description does not show.
public struct OwnKey: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  /// Grows with each key of the stream.
  public let epoch: UInt64
  /// The stream's SSRC.
  public let ssrc: UInt32
  /// The octets for a member's ``ReceivedKey``.
  public let octets: [UInt8]

  init(epoch: UInt64, ssrc: UInt32, secret: RawSpan) {
    self.epoch = epoch
    self.ssrc = ssrc
    octets = secret.byteOffsets.map {
      unsafe secret.unsafeLoad(fromByteOffset: $0, as: UInt8.self)
    }
  }

  /// Which key it is, without the key.
  public var description: String { "OwnKey(epoch: \(epoch))" }
  /// The same.
  public var debugDescription: String { description }
  /// The same, so that `dump` shows no secret either.
  public var customMirror: Mirror { Mirror(self, children: ["epoch": epoch]) }
}

/// A key of a member's stream, as it came over the control connection, its ciphers made: for `Intercom.install(_:of:)`.
///
/// Octets: key (16), salt (12). SSRC and epoch go beside them; the epoch's low 8 bits are in each packet. Making one
/// costs hundreds of system calls: on any thread but the loop's.
public struct ReceivedKey: ~Copyable, Sendable {
  /// Grows with each key of the stream.
  public let epoch: UInt64
  /// The stream that it protects; its RTX stream has the complement.
  let ssrc: UInt32
  let key: SRTPReceivingKey

  /// Parses another node's ``OwnKey/octets``; the caller zeroes the octets.
  ///
  /// - Throws: what is wrong with them.
  public init(octets: [UInt8], ssrc: UInt32, epoch: UInt64) throws(CryptoError) {
    guard octets.count == SRTPSessionKey.byteCount else {
      throw .malformed(
        what: "media key", reason: "\(octets.count) bytes instead of \(SRTPSessionKey.byteCount)")
    }
    let secret = try unsafe SecretBytes(copying: octets.span.bytes)
    let session = try SRTPSessionKey(epoch: UInt8(truncatingIfNeeded: epoch), secret: secret)
    let key = try SRTPReceivingKey(session)
    self.epoch = epoch
    self.ssrc = ssrc
    self.key = key
  }
}
