import RTP
import Testing

@Suite struct GoodbyeTests {
  private static func goodbye(_ hexadecimal: String) throws -> (Goodbye, [UInt8]) {
    let bytes = octets("80 C9 0001 00000001" + hexadecimal)
    guard case .bye(let goodbye) = try parseCompound(bytes).last else { throw RTPParseError.bye }
    return (goodbye, bytes)
  }

  @Test func `all leaving sources are known`() throws {
    let (goodbye, bytes) = try Self.goodbye("82 CB 0002 00000001 00000005")
    #expect(goodbye.sourceCount == 2)
    #expect(goodbye.reason == nil)
    #expect(goodbye.contains(SSRC(rawValue: 5), in: bytes.raw) == true)
    #expect(goodbye.contains(SSRC(rawValue: 6), in: bytes.raw) == false)
    for index in [-1, 2, Int.max] {
      #expect(goodbye.source(at: index, in: bytes.raw) == nil)
    }
    #expect(goodbye.contains(SSRC(rawValue: 5), in: RawSpan()) == false)
  }

  /// RFC 3550 §6.6: "an octet count followed by that many octets of text".
  @Test func `the reason is found behind the sources`() throws {
    let (goodbye, bytes) = try Self.goodbye("81 CB 0003 00000001 05 656E6F7567 0000")
    #expect(text(goodbye.reason, of: bytes) == "enoug")
  }

  @Test func `no source at all is "valid but useless"`() throws {
    let (goodbye, bytes) = try Self.goodbye("80 CB 0000")
    #expect(goodbye.sourceCount == 0)
    #expect(goodbye.contains(SSRC(rawValue: 1), in: bytes.raw) == false)
  }
}
