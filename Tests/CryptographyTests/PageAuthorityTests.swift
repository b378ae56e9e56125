import Testing

@testable import Cryptography

@Suite struct PageAuthorityTests {
  private static func group(_ octet: UInt8) throws -> Group {
    try Group(
      name: "crew",
      secret: unsafe SecretBytes(copying: [UInt8](repeating: octet, count: 32).span.bytes))
  }

  private static func authority(_ octet: UInt8) throws -> PageAuthority {
    let group = try group(octet)
    return try PageAuthority(key: group.pageKey(), words: group.words)
  }

  private static func key(_ octet: UInt8) throws -> P256Key {
    try unsafe P256Key(of: [UInt8](repeating: octet, count: 32).span.bytes, for: "test")
  }

  @Test func `signatures are those of RFC 6979 A.2.5`() throws {
    let key = try P256Key(
      scalar: octets("C9AFA9D845BA75166B5C215767B1D6934E50C3DB36E89B127B8A622B120F6721"))
    #expect(
      key.publicKey
        == octets(
          "0460FED4BA255A9D31C961EB74C6356D68C049B8923B61FA6CE669622E60F29FB6"
            + "7903FE1008B8BC99A41AE9E95628BC64F2F1B20C2D7E9F5177A3C294D4462299"))
    #expect(
      try key.signature(of: Array("sample".utf8))
        == octets(
          "3046022100EFD48B2AACB6A8FD1140DD9CD45E81D69D2C877B56AAF991C34D0EA84EAF3716"
            + "022100F7CB1C942D657C41D436C7A1B6E29F65F3E900DBB9AFF4064DC4AB2F843ACDA8"))
    #expect(
      try key.signature(of: Array("test".utf8))
        == octets(
          "3045022100F1ABB023518351CD71D881567B1EA663ED3EFCF6C5132B354F28D3B0B7D38367"
            + "0220019F4113742A2B14BD25926B49C649155F267E60D3814B4C0CC84250E46F0083"))
  }

  @Test func `a scalar that is none is refused`() {
    for octets in [[UInt8](repeating: 0, count: 32), [UInt8](repeating: 0xFF, count: 32), [1]] {
      #expect(throws: CryptoError.self) { try P256Key(scalar: octets) }
    }
  }

  @Test func `every node of a group has the same authority, and another group another`() throws {
    let (one, same, other) = try (Self.authority(1), Self.authority(1), Self.authority(2))
    #expect(one.certificate == same.certificate)
    #expect(one.name == same.name)
    #expect(one.certificate != other.certificate)
    #expect(one.name != other.name)
  }

  @Test func `the authority's key is no key of another purpose`() throws {
    let octets = [UInt8](repeating: 1, count: 32)
    let authority = try Self.group(1).pageKey()
    let leaf = try unsafe P256Key(of: octets.span.bytes, for: "comlink page leaf 1")
    #expect(authority.publicKey != leaf.publicKey)
  }

  @Test(arguments: ["stage.local", "a.stage.local", "LOCALHOST", "local"])
  func `names of the place are permitted`(name: String) {
    #expect(PageAuthority.permits(name: name))
  }

  @Test(arguments: ["example.com", "notlocal", "local.com", "", "stage.local.evil.org"])
  func `names of the internet are not`(name: String) {
    #expect(!PageAuthority.permits(name: name))
  }

  @Test(
    arguments: [
      ([10, 1, 2, 3], true), ([172, 16, 0, 1], true), ([172, 31, 255, 255], true),
      ([192, 168, 4, 1], true), ([169, 254, 9, 9], true), ([127, 0, 0, 1], true),
      ([172, 32, 0, 1], false), ([8, 8, 8, 8], false), ([192, 169, 0, 1], false),
      ([0xFD] + [UInt8](repeating: 7, count: 15), true),
      ([0xFE, 0x80] + [UInt8](repeating: 0, count: 14), true),
      ([UInt8](repeating: 0, count: 15) + [1], true),
      ([UInt8](repeating: 0, count: 15) + [2], false),
      ([0x20, 0x01] + [UInt8](repeating: 0, count: 14), false), ([], false), ([10, 0, 0], false),
    ] as [([UInt8], Bool)])
  func `addresses of private networks are permitted, others are not`(
    address: [UInt8], isPermitted: Bool
  ) {
    #expect(PageAuthority.permits(address: address) == isPermitted)
  }

  @Test func `a certificate stays the same for a span, and leaves out what would spoil it`() throws
  {
    let (authority, key) = try (Self.authority(1), Self.key(3))
    let first = PageAuthority.firstDay * 86_400
    func leaf(_ names: [String], _ addresses: [[UInt8]], day: Int64) throws -> [UInt8] {
      try authority.leaf(
        for: key, names: names, addresses: addresses, unixSeconds: first + day * 86_400)
    }
    let one = try leaf(["stage.local"], [[10, 0, 0, 1]], day: 0)
    #expect(try leaf(["stage.local"], [[10, 0, 0, 1]], day: 89) == one)
    #expect(try leaf(["stage.local", "evil.org"], [[10, 0, 0, 1], [8, 8, 8, 8]], day: 0) == one)
    #expect(try leaf(["stage.local"], [[10, 0, 0, 1]], day: 90) != one)
    #expect(try leaf(["stage.local"], [[10, 0, 0, 2]], day: 0) != one)
    #expect(try leaf(["stage.local"], [[10, 0, 0, 1]], day: -20_000) == one)
  }

  @Test func `days are dates`() {
    let dates = [0, 59, 60, 20_454, 20_513, 29_219].map { CertificateText.date(of: $0) }
    let expected: [(Int64, Int64, Int64)] = [
      (1970, 1, 1), (1970, 3, 1), (1970, 3, 2), (2026, 1, 1), (2026, 3, 1), (2049, 12, 31),
    ]
    for (date, expected) in zip(dates, expected) { #expect(date == expected) }
  }
}
