internal import CSodium

/// What only the holder of a node's private key can read: libsodium's sealed box to the X25519 key that the node's
/// Ed25519 key is birationally equal to (RFC 7748 §4.1).
///
/// It does not tell who sealed it; a signature around it does.
extension PublicKey {
  /// Octets that a box is longer than what is in it.
  public static let boxExtraByteCount = Int(CSODIUM_SEALED_BOX_EXTRA_BYTES)

  /// Seals a message to this key.
  ///
  /// - Throws: `CryptoError.malformed` where the key is no point of the curve.
  public func seal(_ message: [UInt8]) throws(CryptoError) -> [UInt8] {
    try Sodium.start()
    var code: Int32 = 0
    let size = message.count + Self.boxExtraByteCount
    let box = unsafe [UInt8](unsafeUninitializedCapacity: size) { box, count in
      code = unsafe csodium_seal(box.baseAddress, message, message.count, bytes)
      count = size
    }
    guard code == 0 else {
      throw .malformed(what: "public key", reason: "it is no point of the curve")
    }
    return box
  }
}

extension NodeKey {
  /// Opens what ``PublicKey/seal(_:)`` sealed; nil: it is not for this key, or damaged.
  public borrowing func open(_ box: [UInt8]) -> [UInt8]? {
    let size = box.count - PublicKey.boxExtraByteCount
    guard size >= 0 else { return nil }
    var code: Int32 = 0
    let message = withSeed { seed in
      unsafe seed.withUnsafeBytes { seed in
        unsafe [UInt8](unsafeUninitializedCapacity: size) { message, count in
          code = unsafe csodium_open_seal(
            message.baseAddress, box, box.count,
            seed.baseAddress.unsafelyUnwrapped.assumingMemoryBound(to: UInt8.self))
          count = code == 0 ? size : 0
        }
      }
    }
    return code == 0 ? message : nil
  }
}

/// What the holders of a group's secret can read: XChaCha20-Poly1305 under a key of its own.
extension Group {
  /// Octets that a sealed message is longer than what is in it.
  public static let sealExtraByteCount = Int(CSODIUM_AEAD_EXTRA_BYTES)
  /// Octets of a tag.
  public static let tagByteCount = 16

  /// Names the group among those who have its secret, and tells others nothing.
  ///
  /// HMAC-SHA-512 (RFC 2104) under the secret of `comlink group tag 1`, the first ``tagByteCount`` octets.
  public var tag: [UInt8] {
    Array(derived("comlink group tag 1", []).prefix(Self.tagByteCount))
  }

  /// Says to one node that another has the secret: as long as the channel proves who says it.
  public func memberTag(of node: NodeID, to other: NodeID) -> [UInt8] {
    let octets = derived("comlink group member 1", node.octets + other.octets)
    return Array(octets.prefix(Self.tagByteCount))
  }

  /// Seals a message for the group.
  ///
  /// - Parameter context: what has to be the same where it is opened.
  public func seal(_ message: [UInt8], context: [UInt8]) -> [UInt8] {
    var key = messageKey
    defer { Sodium.zero(&key) }
    let size = message.count + Self.sealExtraByteCount
    return unsafe [UInt8](unsafeUninitializedCapacity: size) { box, count in
      unsafe csodium_aead_seal(
        box.baseAddress, message, message.count, context, context.count, key)
      count = size
    }
  }

  /// Opens what a holder of the secret sealed; nil: it is another group's, of another context, or damaged.
  public func open(_ box: [UInt8], context: [UInt8]) -> [UInt8]? {
    let size = box.count - Self.sealExtraByteCount
    guard size >= 0 else { return nil }
    var key = messageKey
    defer { Sodium.zero(&key) }
    var code: Int32 = 0
    let message = unsafe [UInt8](unsafeUninitializedCapacity: size) { message, count in
      code = unsafe csodium_aead_open(
        message.baseAddress, box, box.count, context, context.count, key)
      count = code == 0 ? size : 0
    }
    return code == 0 ? message : nil
  }

  private var messageKey: [UInt8] {
    Array(derived("comlink group message key 1", []).prefix(Int(CSODIUM_AEAD_KEY_BYTES)))
  }

  private func derived(_ label: String, _ octets: [UInt8]) -> [UInt8] {
    let input = Array(label.utf8) + [0] + octets
    return withSecret { secret in unsafe Digest.hmacSHA512(input.span.bytes, key: secret) }
  }
}
