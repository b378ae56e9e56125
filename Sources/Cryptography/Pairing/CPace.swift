internal import CSodium

/// CPace over ristretto255 with SHA-512, initiator and responder told apart (draft-irtf-cfrg-cpace-21, §7,
/// §8.3 and §10.4).
///
/// Names in the code are the draft's: PRS the password, CI who talks to whom, sid the session, ISK the result.
enum CPace {
  /// G.DSI (§8.3).
  private static let domain = Array("CPaceRistretto255".utf8)
  /// H.s_in_bytes: one block of SHA-512.
  private static let blockByteCount = 128
  /// Octets of a share.
  static let shareByteCount = Int(CSODIUM_POINT_BYTES)

  /// prepend_len (appendix A.1.1): the length in LEB128, then the octets.
  static func prependLength(_ octets: [UInt8]) -> [UInt8] {
    var length = octets.count
    var encoded: [UInt8] = []
    repeat {
      let rest = length >> 7
      encoded.append(UInt8(length & 0x7F) | (rest > 0 ? 0x80 : 0))
      length = rest
    } while length > 0
    return encoded + octets
  }

  /// lv_cat (appendix A.1.3).
  static func concatenate(_ parts: [UInt8]...) -> [UInt8] { parts.flatMap(prependLength) }

  /// generator_string (§8.1): the password is padded, so that it fills a block of the hash whatever its length.
  static func generatorString(password: [UInt8], context: [UInt8], session: [UInt8]) -> [UInt8] {
    let taken = prependLength(password).count + prependLength(domain).count
    let padding = [UInt8](repeating: 0, count: max(0, blockByteCount - taken - 1))
    return concatenate(domain, password, padding, context, session)
  }

  /// G.calculate_generator (§8.3), encoded.
  static func generator(password: [UInt8], context: [UInt8], session: [UInt8]) -> [UInt8] {
    var string = generatorString(password: password, context: context, session: session)
    defer { Sodium.zero(&string) }
    var hash = unsafe Digest.sha512(string.span.bytes)
    defer { Sodium.zero(&hash) }
    return unsafe [UInt8](unsafeUninitializedCapacity: shareByteCount) { point, count in
      unsafe csodium_point_from_hash(point.baseAddress, hash)
      count = shareByteCount
    }
  }

  /// A random scalar from 1 to the order of the group less 1 (§8.3, the alternative).
  static func randomScalar() throws(CryptoError) -> SecretBytes {
    var scalar = try SecretBytes(byteCount: Int(CSODIUM_SCALAR_BYTES))
    scalar.withMutableBytes { scalar in
      unsafe scalar.withUnsafeMutableBytes { unsafe csodium_scalar_random($0.baseAddress) }
    }
    return scalar
  }

  /// G.scalar_mult_vfy (§8.3).
  ///
  /// - Throws: `CryptoError.pairing(.malformed)` where the draft has G.I: no encoding of an element,
  ///   or the neutral one.
  static func multiply(
    _ scalar: borrowing SecretBytes, _ point: [UInt8]
  ) throws(CryptoError) -> SecretBytes {
    guard point.count == shareByteCount else { throw .pairing(.malformed) }
    var product = try SecretBytes(byteCount: shareByteCount)
    let code = product.withMutableBytes { product in
      unsafe product.withUnsafeMutableBytes { product in
        scalar.withBytes { scalar in
          unsafe scalar.withUnsafeBytes { scalar in
            unsafe csodium_scalar_multiply(product.baseAddress, scalar.baseAddress, point)
          }
        }
      }
    }
    guard code == 0 else { throw .pairing(.malformed) }
    return product
  }

  /// transcript_ir (§6.3): both shares with their associated data, the initiator's first.
  static func transcript(_ initiator: Message, _ responder: Message) -> [UInt8] {
    initiator.encoded + responder.encoded
  }

  /// ISK (§7.2) of the shared point K.
  static func sessionKey(
    point: borrowing SecretBytes, session: [UInt8], transcript: [UInt8]
  ) throws(CryptoError) -> SecretBytes {
    var input = point.withBytes { point in
      unsafe point.withUnsafeBytes {
        concatenate(domain + Array("_ISK".utf8), session, unsafe Array($0))
      }
    }
    input += transcript
    defer { Sodium.zero(&input) }
    var hash = unsafe Digest.sha512(input.span.bytes)
    defer { Sodium.zero(&hash) }
    return unsafe try SecretBytes(copying: hash.span.bytes)
  }

  /// The tag by which a party shows that it has the same ISK (§10.4): HMAC-SHA-512 of its own message.
  static func confirmation(
    of message: Message, session: [UInt8], key: borrowing SecretBytes
  ) -> [UInt8] {
    var macKey = derive("CPaceMac", session: session, key: key)
    defer { Sodium.zero(&macKey) }
    return unsafe Digest.hmacSHA512(message.encoded.span.bytes, key: macKey.span.bytes)
  }

  /// SHA-512 of a label, the session and ISK; zeroing it is the caller's.
  static func derive(
    _ label: String, session: [UInt8], key: borrowing SecretBytes
  ) -> [UInt8] {
    var input = Array(label.utf8) + session
    key.withBytes { key in
      unsafe key.withUnsafeBytes { unsafe input.append(contentsOf: $0) }
    }
    defer { Sodium.zero(&input) }
    return unsafe Digest.sha512(input.span.bytes)
  }

  /// What one party sends: its share, and its associated data.
  struct Message: Hashable, Sendable {
    let share: [UInt8]
    let associated: [UInt8]

    var encoded: [UInt8] { concatenate(share, associated) }
  }
}
