internal import COpenSSL

/// AES-128-GCM under one session key and salt (RFC 7714 §8 and §9).
///
/// Loop thread only; only the initialiser allocates.
@safe struct SRTPCipher: ~Copyable {
  /// Octets of a tag (RFC 7714 §13: 16).
  static let tagByteCount = Int(COPENSSL_TAG_BYTES)
  /// Octets of a session key.
  static let keyByteCount = Int(COPENSSL_KEY_BYTES)
  /// Octets of a session salt, and of a nonce.
  static let saltByteCount = Int(COPENSSL_NONCE_BYTES)

  private let handle: OpaquePointer
  /// As a number, the first octet highest.
  private let salt: UInt128

  /// - Parameters:
  ///   - key: 16 octets.
  ///   - salt: 12 octets.
  init(key: RawSpan, salt: RawSpan) throws(CryptoError) {
    precondition(key.byteCount == Self.keyByteCount && salt.byteCount == Self.saltByteCount)
    var code: Int32 = 0
    let handle = unsafe key.withUnsafeBytes { key in
      unsafe copenssl_gcm_create(key.baseAddress, &code)
    }
    guard let handle = unsafe handle else { throw .unavailable(what: "AES-GCM in libcrypto") }
    unsafe self.handle = unsafe handle
    self.salt = UInt128(salt.uint32(at: 0)) << 64 | UInt128(salt.uint64(at: 4))
  }

  deinit {
    unsafe copenssl_gcm_destroy(handle)
  }

  /// The 12 octets of a nonce (RFC 7714 §8.1 and §9.1) as a number, the first octet highest.
  ///
  /// Two zero octets, the SSRC, and 48 bits of index (a roll-over counter and sequence number, or an SRTCP index),
  /// all XOR the salt.
  func nonce(ssrc: UInt32, index: UInt64) -> UInt128 {
    salt ^ (UInt128(ssrc) << 48 | UInt128(index))
  }

  /// Encrypts what follows a packet's header in place, and writes the tag behind it.
  ///
  /// - Parameters:
  ///   - header: octets that are authenticated, but stay in clear.
  ///   - trailer: more that is authenticated: the E flag and index of RTCP (RFC 7714 §9.2); nil for RTP.
  ///   - text: octets to be encrypted.
  /// - Returns: false where libcrypto failed.
  func seal(
    _ packet: inout MutableRawSpan, header: Int, trailer: UInt32? = nil, text: Int, ssrc: UInt32,
    index: UInt64
  ) -> Bool {
    unsafe run(copenssl_gcm_seal, &packet, header, trailer, text, nonce(ssrc: ssrc, index: index))
  }

  /// Decrypts what follows a packet's header in place; the tag lies behind it, the parameters are those of `seal`.
  ///
  /// - Returns: false where it is not authentic; the text is zero then.
  func open(
    _ packet: inout MutableRawSpan, header: Int, trailer: UInt32? = nil, text: Int, ssrc: UInt32,
    index: UInt64
  ) -> Bool {
    unsafe run(
      { unsafe copenssl_gcm_open($0, $1, $2, $3, $4, $5, UnsafePointer($6)) }, &packet, header,
      trailer, text, nonce(ssrc: ssrc, index: index))
  }

  /// What libcrypto does with a packet: handle, nonce, associated octets and their number, text and its length, tag.
  private typealias Operation = (
    OpaquePointer?, UnsafePointer<UInt8>?, UnsafePointer<UInt8>?, Int32,
    UnsafeMutablePointer<UInt8>?, Int32, UnsafeMutablePointer<UInt8>?
  ) -> Int32

  private func run(
    _ operation: Operation, _ packet: inout MutableRawSpan, _ header: Int, _ trailer: UInt32?,
    _ text: Int, _ nonce: UInt128
  ) -> Bool {
    precondition(header + text + Self.tagByteCount <= packet.byteCount && header >= 0 && text >= 0)
    return unsafe packet.withUnsafeMutableBytes { packet in
      unsafe withUnsafeBytes(of: (nonce << 32).bigEndian) { nonce in
        let nonce = unsafe nonce.baseAddress?.assumingMemoryBound(to: UInt8.self)
        guard let base = unsafe packet.baseAddress?.assumingMemoryBound(to: UInt8.self) else {
          return false
        }
        let (start, tag) = unsafe (base + header, base + header + text)
        guard let trailer else {
          return unsafe operation(
            handle, nonce, base, Int32(header), start, Int32(text), tag) == 0
        }
        let associated = Self.associated(
          unsafe UnsafeRawBufferPointer(start: base, count: header).bytes, trailer)
        return unsafe associated.span.withUnsafeBufferPointer { associated in
          unsafe operation(
            handle, nonce, associated.baseAddress, Int32(associated.count), start,
            Int32(text), tag) == 0
        }
      }
    }
  }

  /// The eight octets of an RTCP header with its SSRC, then the word of E flag and index.
  private static func associated(
    _ header: RawSpan, _ trailer: UInt32
  ) -> InlineArray<12, UInt8> {
    precondition(header.byteCount == 8)
    return InlineArray { place in
      place < 8
        ? header.octet(at: place)
        : UInt8(truncatingIfNeeded: trailer >> UInt32(24 - 8 * (place - 8)))
    }
  }
}
