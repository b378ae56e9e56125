import Testing

@testable import Cryptography

/// The vectors of draft-irtf-cfrg-cpace-21, appendices A.1 and B.3 (ristretto255 with SHA-512).
@Suite struct CPaceVectorTests {
  private static let password = Array("Password".utf8)
  private static let context = octets("0b415f696e69746961746f720b425f726573706f6e646572")
  private static let session = octets("7e4b4791d6a8ef019b936c79fb7f2c57")
  private static let initiatorShare = octets(
    "d6bac480f2c386c394efc7c47adb9925dcd2630b64f240c50f8d0eec482b9157")
  private static let responderShare = octets(
    "3ea7e0b19560d7c0b0f5734f63b955286dfa8232b5ebe63324e2d9e7433f7258")
  private static let initiatorScalar = octets(
    "da3d23700a9e5699258aef94dc060dfda5ebb61f02a5ea77fad53f4ff0976d08")
  private static let responderScalar = octets(
    "d2316b454718c35362d83d69df6320f38578ed5984651435e2949762d900b80d")
  private static let generator = octets(
    "222b6b195fe84b1652badb6f6a3ae3d24341e7306967f0b8115b40d5698c7e56")
  private static let point = octets(
    "80b69a8a76457ab6a4d7f887a4bf6b55a2f80ac19c333f917a05fc9887c8b40f")

  private static func product(_ scalar: [UInt8], _ point: [UInt8]) throws -> [UInt8] {
    let scalar = unsafe try SecretBytes(copying: scalar.span.bytes)
    return try CPace.multiply(scalar, point).withBytes { product in
      unsafe product.withUnsafeBytes { unsafe Array($0) }
    }
  }

  /// A.1.2.
  @Test func `lengths are written before octets`() {
    #expect(CPace.prependLength([]) == [0])
    #expect(CPace.prependLength(Array("1234".utf8)) == octets("0431323334"))
    let short = Array(0..<127 as Range<UInt8>)
    #expect(CPace.prependLength(short) == [0x7F] + short)
    let long = Array(0..<128 as Range<UInt8>)
    #expect(CPace.prependLength(long) == [0x80, 0x01] + long)
  }

  /// B.3.1.
  @Test func `the generator is the draft's`() {
    let string = CPace.generatorString(
      password: Self.password, context: Self.context, session: Self.session)
    #expect(
      string == octets("11435061636552697374726574746f3235350850617373776f726464")
        + [UInt8](repeating: 0, count: 100) + octets("18") + Self.context + octets("10")
        + Self.session)
    #expect(
      CPace.generator(password: Self.password, context: Self.context, session: Self.session)
        == Self.generator)
  }

  /// B.3.2 to B.3.4.
  @Test func `shares and the shared point are the draft's`() throws {
    #expect(try Self.product(Self.initiatorScalar, Self.generator) == Self.initiatorShare)
    #expect(try Self.product(Self.responderScalar, Self.generator) == Self.responderShare)
    #expect(try Self.product(Self.initiatorScalar, Self.responderShare) == Self.point)
    #expect(try Self.product(Self.responderScalar, Self.initiatorShare) == Self.point)
  }

  /// B.3.5.
  @Test func `the session key is the draft's`() throws {
    let transcript = CPace.transcript(
      CPace.Message(share: Self.initiatorShare, associated: Array("ADa".utf8)),
      CPace.Message(share: Self.responderShare, associated: Array("ADb".utf8)))
    #expect(
      transcript == octets("20") + Self.initiatorShare + octets("03414461 20")
        + Self.responderShare + octets("03414462"))
    let key = try CPace.sessionKey(
      point: unsafe SecretBytes(copying: Self.point.span.bytes), session: Self.session,
      transcript: transcript)
    let bytes = key.withBytes { key in unsafe key.withUnsafeBytes { unsafe Array($0) } }
    #expect(
      bytes
        == octets(
          """
          b69effbf61b51d56401c0f65601abe428de8206feaaf0e32198896dcae7b35cd
          2b38950a39dfd5d4a79164614c2984f7daa460b588c1e80c3fa2068af7900447
          """))
  }

  /// B.3.10.
  @Test func `an element times a scalar is the draft's`() throws {
    let scalar = octets("7cd0e075fa7955ba52c02759a6c90dbbfc10e6d40aea8d283e407d88cf538a05")
    let element = octets("2c3c6b8c4f3800e7aef6864025b4ed79bd599117e427c41bd47d93d654b4a51c")
    #expect(
      try Self.product(scalar, element)
        == octets("7c13645fe790a468f62c39beb7388e541d8405d1ade69d1778c5fe3e7f6b600e"))
  }

  /// B.3.11: Y_i1 and Y_i2; then lengths that no element has.
  @Test(
    arguments: [
      octets("2b3c6b8c4f3800e7aef6864025b4ed79bd599117e427c41bd47d93d654b4a51c"),
      [UInt8](repeating: 0, count: 32), [], [UInt8](repeating: 1, count: 31),
      [UInt8](repeating: 1, count: 33),
    ])
  func `what is no element, or the neutral one, ends the run`(point: [UInt8]) {
    let scalar = octets("7cd0e075fa7955ba52c02759a6c90dbbfc10e6d40aea8d283e407d88cf538a05")
    #expect(throws: CryptoError.pairing(.malformed)) { try Self.product(scalar, point) }
  }
}
