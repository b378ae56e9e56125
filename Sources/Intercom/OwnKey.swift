public import Cryptography

/// This node's media key, present or next, for admitted members: a secret, which its description does not show.
public struct OwnKey: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  /// Grows with each key.
  public let epoch: UInt64
  /// The octets for a member's ``ReceivedKey``.
  public let octets: [UInt8]

  init(epoch: UInt64, ssrc: UInt32, secret: RawSpan) {
    self.epoch = epoch
    octets =
      [ReceivedKey.version] + (0..<4).map { UInt8(truncatingIfNeeded: ssrc >> (24 - 8 * $0)) }
      + secret.byteOffsets.map {
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

/// A member's media key, as it came over the control connection, its ciphers made: for `Intercom.install(_:of:)`.
///
/// Octets: version (1), SSRC (4, big-endian), key (16), salt (12). The epoch goes beside them; its low 8 bits are in
/// each packet. Making one costs hundreds of system calls: on any thread but the loop's.
public struct ReceivedKey: ~Copyable, Sendable {
  static let version: UInt8 = 1
  private static let headerByteCount = 5
  static let byteCount = headerByteCount + SRTPSessionKey.byteCount

  /// Grows with each key of a sender.
  public let epoch: UInt64
  /// The stream that it protects; its RTX stream has the complement.
  let ssrc: UInt32
  let key: SRTPReceivingKey

  /// Parses another node's ``OwnKey/octets``; the caller zeroes the octets.
  ///
  /// - Throws: what is wrong with them.
  public init(octets: [UInt8], epoch: UInt64) throws(CryptoError) {
    guard octets.first == Self.version else {
      throw .malformed(what: "media key", reason: "its version is not \(Self.version)")
    }
    guard octets.count == Self.byteCount else {
      throw .malformed(
        what: "media key", reason: "\(octets.count) bytes instead of \(Self.byteCount)")
    }
    let secret = try unsafe SecretBytes(
      copying: octets.span.bytes.extracting(Self.headerByteCount..<Self.byteCount))
    let session = try SRTPSessionKey(epoch: UInt8(truncatingIfNeeded: epoch), secret: secret)
    let key = try SRTPReceivingKey(session)
    self.epoch = epoch
    ssrc = octets[1..<Self.headerByteCount].reduce(0) { $0 << 8 | UInt32($1) }
    self.key = key
  }
}
