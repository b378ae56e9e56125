import Testing

@testable import Cryptography

@Suite struct SRTPVectorTests {
  /// RFC 7714 §16 and §17: the key 00 … 0f, the salt "Quid pro quo".
  private static func cipher() throws -> SRTPCipher {
    let (key, salt) = (Array(0..<16 as Range<UInt8>), Array("Quid pro quo".utf8))
    return try unsafe SRTPCipher(key: key.span.bytes, salt: salt.span.bytes)
  }

  /// RFC 7714 §16: 12 octets of header, then "Gallia est omnis divisa in partes tres".
  private static let rtp = octets(
    """
    8040f17b 8041f8d3 5501a0b2 47616c6c 69612065 7374206f 6d6e6973 20646976
    69736120 696e2070 61727465 73207472 6573
    """)
  /// RFC 7714 §16.1.1.
  private static let srtp = octets(
    """
    8040f17b 8041f8d3 5501a0b2 f24de3a3 fb34de6c acba861c 9d7e4bca be633bd5
    0d294e6f 42a5f47a 51c7d19b 36de3adf 8833899d 7f27beb1 6a9152cf 765ee439 0cce
    """)
  /// RFC 7714 §17.1.
  private static let rtcp = octets(
    """
    81c8000d 4d617273 4e545031 4e545032 52545020 0000042a 0000e930 4c756e61
    deadbeef deadbeef deadbeef deadbeef deadbeef
    """)
  /// RFC 7714 §17.1, without the word of E flag and index, 800005d4, at its end.
  private static let srtcp = octets(
    """
    81c8000d 4d617273 63e94885 dcdab67c a727d766 2f6b7e99 7ff5c0f7 6c06f32d c676a5f1 730d6fda
    4ce09b46 86303ded 0bb9275b c84aa458 96cf4d2f c5abf872 45d9eade
    """)

  @Test func `nonces are those of RFC 7714`() throws {
    let cipher = try Self.cipher()
    #expect(cipher.nonce(ssrc: 0x5501_a0b2, index: 0xf17b) == 0x5175_3c65_80c2_726f_2071_8414)
    #expect(cipher.nonce(ssrc: 0x4d61_7273, index: 0x5d4) == 0x5175_2405_5203_726f_2071_70bb)
  }

  @Test(arguments: [
    (rtp, srtp, 12, UInt32?.none, UInt32(0x5501_a0b2), UInt64(0xf17b)),
    (rtcp, srtcp, 8, 0x8000_05d4, 0x4d61_7273, 0x5d4),
  ])
  func `packets are those of RFC 7714`(
    plain: [UInt8], sealed: [UInt8], header: Int, trailer: UInt32?, ssrc: UInt32, index: UInt64
  ) throws {
    let cipher = try Self.cipher()
    var packet = plain + [UInt8](repeating: 0, count: SRTPCipher.tagByteCount)
    let text = plain.count - header
    let isSealed = changing(&packet) {
      cipher.seal(&$0, header: header, trailer: trailer, text: text, ssrc: ssrc, index: index)
    }
    #expect(isSealed && packet == sealed)
    let isOpened = changing(&packet) {
      cipher.open(&$0, header: header, trailer: trailer, text: text, ssrc: ssrc, index: index)
    }
    #expect(isOpened && Array(packet.prefix(plain.count)) == plain)
  }

  @Test func `what is not authentic leaves nothing to be read`() throws {
    let cipher = try Self.cipher()
    var packet = Self.srtp
    packet[20] ^= 1
    let isOpened = changing(&packet) {
      cipher.open(&$0, header: 12, text: 38, ssrc: 0x5501_a0b2, index: 0xf17b)
    }
    #expect(!isOpened)
    #expect(packet[12..<50].allSatisfy { $0 == 0 })
  }

  /// RFC 9335 appendix A.2: AEAD_AES_128_GCM under the session key and salt that it derives, roll-over counter 0.
  @Test(arguments: [
    (
      "900f1235 decafbad cafebabe bede0001 51000200",
      """
      900f1235 decafbad cafebabe c0de0001 39972dc9 572c4d99 e8fc355d e743fb2e
      94f9d8ff 54e72f41 93bbc5c7 4ffab0fa 9fa0fbeb
      """
    ),
    (
      "900f1236 decafbad cafebabe 10000001 05020002",
      """
      900f1236 decafbad cafebabe c2de0001 bb75a4c5 45cd1f41 3bdb7daa 2b1e3263
      de313667 c9632490 81b35a65 f5cb6c88 b394235f
      """
    ),
  ])
  func `header extensions are encrypted as in RFC 9335`(header: String, expected: String) throws {
    let (master, salt) = (
      octets("000102030405060708090a0b0c0d0e0f"), octets("a0a1a2a3a4a5a6a7a8a9aaab")
    )
    let plain = octets(header) + [UInt8](repeating: 0xAB, count: 16)
    var packet = plain + [UInt8](repeating: 0, count: SRTPCipher.tagByteCount)
    let fields = try unsafe RTPFields(plain.span.bytes, trailer: 0)
    let cipher = try Self.cipher(master, salt)
    try changing(&packet) { bytes throws(CryptoError) in try fields.mark(&bytes, .encrypted) }
    let (text, index) = (plain.count - fields.byteCount, UInt64(fields.sequenceNumber))
    let isSealed = changing(&packet) {
      cipher.seal(
        &$0, header: fields.byteCount, text: text, ssrc: fields.ssrc, index: index)
    }
    #expect(isSealed && packet == octets(expected))
    let isOpened = changing(&packet) {
      cipher.open(
        &$0, header: fields.byteCount, text: text, ssrc: fields.ssrc, index: index)
    }
    try changing(&packet) { bytes throws(CryptoError) in try fields.mark(&bytes, .clear) }
    #expect(isOpened && Array(packet.prefix(plain.count)) == plain)
  }

  /// RFC 3711 appendix B.3.
  @Test(
    arguments: [
      (SRTPKeyDerivation.Label.encryption, "C61E7A93744F39EE10734AFE3FF7A087"),
      (.salt, "30CBBC08863D8C85D49DB34A9AE1"),
    ])
  func `derived keys are those of RFC 3711`(label: SRTPKeyDerivation.Label, expected: String) throws
  {
    let key = octets("E1F97A0D3E018BE0D64FA32C06DE4139")
    let salt = octets("0EC675AD498AFEEBB6960B3AABE6")
    let derived = try unsafe SRTPKeyDerivation.derive(
      label, key: key.span.bytes, salt: salt.span.bytes, byteCount: octets(expected).count)
    let bytes = derived.withBytes { bytes in unsafe bytes.withUnsafeBytes { unsafe Array($0) } }
    #expect(bytes == octets(expected))
  }

  /// What libsrtp2 2.5.0 (Debian 12) makes under the master key and salt 7 n + 3, n from 0 on: the RTP packet above
  /// with roll-over counter 0, and a receiver report with its first SRTCP index, which is 1.
  @Test func `packets under a master key are those of libsrtp2`() throws {
    let master = (0..<28 as Range<UInt8>).map { $0 * 7 + 3 }
    let packet = try Self.sealed(
      Self.rtp, master, (.encryption, .salt), header: 12, ssrc: 0x5501_a0b2, index: 0xf17b)
    #expect(
      packet
        == octets(
          """
          8040f17b 8041f8d3 5501a0b2 7ea14917 213e9cc4 db3b5e36 857dd2ca 5be93f55
          008b7314 4b0058df 86f3f5f6 1fc2bf70 649d738c e9facddf fbc3cf9e 6ea40cbf
          2805
          """))
    let trailer: UInt32 = 0x8000_0001
    let report = try Self.sealed(
      rtcpPacket(0x55), master, (.controlEncryption, .controlSalt), header: 8, trailer: trailer,
      ssrc: 0x1234_5678, index: 1)
    #expect(
      report + octets("80000001")
        == octets(
          """
          80c90007 12345678 0aabf837 f3cd072f 21e8fbd3 1e6e701b edce7e3c cdf046f5
          c6bb769d ac475120 c1ea65c7 eeda1df5 80000001
          """))
  }

  private static func sealed(
    _ packet: [UInt8], _ master: [UInt8],
    _ labels: (key: SRTPKeyDerivation.Label, salt: SRTPKeyDerivation.Label), header: Int,
    trailer: UInt32? = nil, ssrc: UInt32, index: UInt64
  ) throws -> [UInt8] {
    let cipher = try cipher(Array(master.prefix(16)), Array(master.suffix(12)), labels)
    var sealed = packet + [UInt8](repeating: 0, count: SRTPCipher.tagByteCount)
    let isSealed = changing(&sealed) {
      cipher.seal(
        &$0, header: header, trailer: trailer, text: packet.count - header, ssrc: ssrc,
        index: index)
    }
    #expect(isSealed)
    return sealed
  }

  private static func cipher(
    _ key: [UInt8], _ salt: [UInt8],
    _ labels: (key: SRTPKeyDerivation.Label, salt: SRTPKeyDerivation.Label) = (.encryption, .salt)
  ) throws -> SRTPCipher {
    let sessionKey = try unsafe SRTPKeyDerivation.derive(
      labels.key, key: key.span.bytes, salt: salt.span.bytes, byteCount: 16)
    let sessionSalt = try unsafe SRTPKeyDerivation.derive(
      labels.salt, key: key.span.bytes, salt: salt.span.bytes, byteCount: 12)
    return try sessionKey.withBytes { key throws(CryptoError) in
      try sessionSalt.withBytes { salt throws(CryptoError) in
        try SRTPCipher(key: key, salt: salt)
      }
    }
  }
}
