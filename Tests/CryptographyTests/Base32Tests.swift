import Testing

@testable import Cryptography

@Suite struct Base32Tests {
  /// RFC 4648 §10, without the padding.
  @Test(
    arguments: [
      ("", ""), ("f", "my"), ("fo", "mzxq"), ("foo", "mzxw6"), ("foob", "mzxw6yq"),
      ("fooba", "mzxw6ytb"), ("foobar", "mzxw6ytboi"),
    ])
  func `texts are those of RFC 4648`(plain: String, text: String) {
    #expect(Base32.text(Array(plain.utf8)) == text)
    #expect(Base32.bytes(text) == Array(plain.utf8))
    #expect(Base32.bytes(text.uppercased()) == Array(plain.utf8))
    #expect(Base32.characterCount(byteCount: plain.utf8.count) == text.utf8.count)
  }

  /// A lone character, one too many, bits that should be zero, padding, digits and letters beyond the alphabet.
  @Test(arguments: ["m", "mzx", "mzxw6y", "mz", "mzxr", "my======", "m1", "m0", "m8", "mü", "m y"])
  func `what no octets are written as is refused`(text: String) {
    #expect(Base32.bytes(text) == nil)
  }
}
