import RTP
import Testing

@Suite struct SourceDescriptionTests {
  private static func description(_ hexadecimal: String) throws -> (SourceDescription, [UInt8]) {
    let bytes = octets("80 C9 0001 00000001" + hexadecimal)
    guard case .sourceDescription(let description) = try parseCompound(bytes).last else {
      throw RTPParseError.sourceDescription
    }
    return (description, bytes)
  }

  @Test func `texts are found by source, other items are skipped`() throws {
    let (description, bytes) = try Self.description(
      """
      82 CA 0008
      00000001 03 02 4040 01 03 616263 02 00 00
      00000002 02 05 48656C6C6F 01 02 7A7A 00
      """)
    let firstCandidate = description.chunk(on: SSRC(rawValue: 1), in: bytes.raw)
    let first = try #require(firstCandidate)
    #expect(text(first.canonicalName, of: bytes) == "abc")
    #expect(text(first.name, of: bytes) == "")
    let secondCandidate = description.chunk(on: SSRC(rawValue: 2), in: bytes.raw)
    let second = try #require(secondCandidate)
    #expect(text(second.canonicalName, of: bytes) == "zz")
    #expect(text(second.name, of: bytes) == "Hello")
    #expect(description.chunk(on: SSRC(rawValue: 3), in: bytes.raw) == nil)
    #expect(description.chunk(on: SSRC(rawValue: 1), in: RawSpan()) == nil)
  }

  /// "A chunk with zero items (four null octets) is valid but useless" (RFC 3550 §6.5).
  @Test func `a chunk without items and a packet without chunks are valid`() throws {
    let (chunk, bytes) = try Self.description("81 CA 0002 00000001 00000000")
    let candidate = chunk.chunk(on: SSRC(rawValue: 1), in: bytes.raw)
    let found = try #require(candidate)
    #expect(found.canonicalName == nil)
    let (none, noneBytes) = try Self.description("80 CA 0000")
    #expect(none.chunk(on: SSRC(rawValue: 1), in: noneBytes.raw) == nil)
  }

  /// §6.5: one or more null octets end the list and fill the word.
  @Test(arguments: 0...255)
  func `a text of any length ends on a word`(length: Int) throws {
    let written = [UInt8](repeating: 0x78, count: length)
    let bytes = compound { writer, bytes in
      writer.report(from: SSRC(rawValue: 1), info: nil, block: nil, into: &bytes)
      writer.sourceDescription(
        of: SSRC(rawValue: 1), canonicalName: written.span, name: written.span, into: &bytes)
    }
    #expect(bytes.count % 4 == 0)
    guard case .sourceDescription(let description) = try parseCompound(bytes).last else {
      Issue.record("no source description")
      return
    }
    let chunkCandidate = description.chunk(on: SSRC(rawValue: 1), in: bytes.raw)
    let chunk = try #require(chunkCandidate)
    #expect(chunk.canonicalName.map { Array(bytes[$0]) } == written)
    #expect(chunk.name.map { Array(bytes[$0]) } == (length == 0 ? nil : written))
  }
}
