public import Cryptography
public import Mesh

/// A key of a member's stream, as it came over the control connection, its ciphers made: for `Intercom.install(_:of:)`.
///
/// Octets: key (16), salt (12). What it is for goes beside them; the epoch's low 8 bits are in each packet. Making one
/// costs hundreds of system calls: on any thread but the loop's.
public struct ReceivedKey: ~Copyable, Sendable {
  /// Which stream of the member it protects, and which of that stream's keys it is.
  public struct Identity: Hashable, Sendable {
    /// The number by which the member announces it.
    public let stream: Int
    /// What is spoken into.
    public let source: Int
    /// What that is called; empty: the microphone.
    public let sourceName: String
    /// A colour to show it in; nil: its node's.
    public let sourceColourRGB: UInt32?
    /// Whom it is for.
    public let audience: StreamAudience
    /// Its SSRC; that of its RTX stream is the complement.
    public let ssrc: UInt32
    /// Grows with each key of the stream.
    public let epoch: UInt64
  }

  /// Which key it is.
  public let identity: Identity
  let key: SRTPReceivingKey

  /// Reads what a member told; the caller zeroes the octets.
  ///
  /// - Throws: what is wrong with them.
  public init(_ told: MediaKey) throws(CryptoError) {
    let octets = told.octets
    guard octets.count == SRTPSessionKey.byteCount else {
      throw .malformed(
        what: "media key", reason: "\(octets.count) bytes instead of \(SRTPSessionKey.byteCount)")
    }
    let secret = try unsafe SecretBytes(copying: octets.span.bytes)
    let session = try SRTPSessionKey(epoch: UInt8(truncatingIfNeeded: told.epoch), secret: secret)
    let key = try SRTPReceivingKey(session)
    identity = Identity(
      stream: told.stream, source: told.source, sourceName: told.sourceName,
      sourceColourRGB: told.sourceColourRGB, audience: told.audience, ssrc: told.ssrc,
      epoch: told.epoch)
    self.key = key
  }
}
