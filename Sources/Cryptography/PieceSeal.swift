internal import CSodium

/// Seals something long in pieces, each of which is opened by itself: XChaCha20-Poly1305 under a key that no other
/// thing has.
///
/// A piece is bound to its number and to whether it is the last: none can be left out, moved or put at another end.
public struct PieceSeal: Hashable, Sendable {
  /// Octets of a key.
  public static let keyByteCount = Int(CSODIUM_AEAD_KEY_BYTES)
  /// Octets that a sealed piece is longer than what is in it.
  public static let extraByteCount = Int(CSODIUM_AEAD_EXTRA_BYTES)

  /// The key.
  public let key: [UInt8]

  /// A new key.
  public init() throws(CryptoError) {
    try Sodium.start()
    key = unsafe [UInt8](unsafeUninitializedCapacity: Self.keyByteCount) { key, count in
      unsafe csodium_random(key.baseAddress, Self.keyByteCount)
      count = Self.keyByteCount
    }
  }

  /// A key from a message; nil unless it has its length.
  public init?(key: [UInt8]) {
    guard key.count == Self.keyByteCount else { return nil }
    self.key = key
  }

  /// Seals a piece.
  public func seal(_ piece: [UInt8], number: Int, isLast: Bool) -> [UInt8] {
    let context = Self.context(number, isLast)
    let size = piece.count + Self.extraByteCount
    return unsafe [UInt8](unsafeUninitializedCapacity: size) { box, count in
      unsafe csodium_aead_seal(
        box.baseAddress, piece, piece.count, context, context.count, key)
      count = size
    }
  }

  /// Opens a piece; nil: it is another one, or damaged.
  public func open(_ box: [UInt8], number: Int, isLast: Bool) -> [UInt8]? {
    let size = box.count - Self.extraByteCount
    guard size >= 0 else { return nil }
    let context = Self.context(number, isLast)
    var code: Int32 = 0
    let piece = unsafe [UInt8](unsafeUninitializedCapacity: size) { piece, count in
      code = unsafe csodium_aead_open(
        piece.baseAddress, box, box.count, context, context.count, key)
      count = code == 0 ? size : 0
    }
    return code == 0 ? piece : nil
  }

  private static func context(_ number: Int, _ isLast: Bool) -> [UInt8] {
    var context = Array("comlink piece 1".utf8) + [isLast ? 1 : 0]
    for shift in stride(from: 56, through: 0, by: -8) {
      context.append(UInt8(truncatingIfNeeded: number >> shift))
    }
    return context
  }
}
