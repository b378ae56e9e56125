import Testing

@testable import Cryptography

@Suite struct SecretBytesTests {
  private func octets(of secret: borrowing SecretBytes) -> [UInt8] {
    secret.withBytes { bytes in unsafe bytes.withUnsafeBytes { unsafe Array($0) } }
  }

  @Test func `a secret starts as zeros and keeps what is written`() throws {
    var secret = try SecretBytes(byteCount: 3)
    #expect(octets(of: secret) == [0, 0, 0])
    secret.withMutableBytes { $0.storeBytes(of: 7, toByteOffset: 1, as: UInt8.self) }
    #expect(octets(of: secret) == [0, 7, 0])
  }

  @Test func `random secrets differ`() throws {
    let one = try SecretBytes(randomByteCount: 32)
    let other = try SecretBytes(randomByteCount: 32)
    #expect(octets(of: one) != octets(of: other))
    let isEqual = one.isEqual(to: other)
    #expect(!isEqual)
  }

  @Test func `a copy is equal until it is changed, and one of another length never`() throws {
    let secret = try SecretBytes(randomByteCount: 16)
    var copy = try secret.copy()
    let isEqual = copy.isEqual(to: secret)
    #expect(isEqual)
    copy.withMutableBytes { bytes in
      let last = unsafe bytes.unsafeLoad(fromByteOffset: 15, as: UInt8.self)
      bytes.storeBytes(of: last ^ 0x80, toByteOffset: 15, as: UInt8.self)
    }
    let isStillEqual = copy.isEqual(to: secret)
    #expect(!isStillEqual)
    let shorter = try SecretBytes(byteCount: 15)
    let isShorterEqual = shorter.isEqual(to: secret)
    #expect(!isShorterEqual)
  }
}
