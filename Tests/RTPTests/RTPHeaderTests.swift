import RTP
import TestKit
import Testing

@Suite struct RTPHeaderTests {
  private static let header = RTPHeader(
    marker: true, payloadType: 111, sequenceNumber: SequenceNumber(rawValue: 0x1234),
    timestamp: RTPTimestamp(rawValue: 0x5678_9ABC), ssrc: SSRC(rawValue: 0xDEAD_BEEF))

  /// RFC 3550 §5.1: V=2 P=0 X=0 CC=0, M=1 PT=111, sequence number, time stamp, SSRC.
  @Test func `a plain header is the twelve octets of the RFC`() {
    #expect(write(Self.header) == octets("80 EF 1234 56789ABC DEADBEEF"))
  }

  /// RFC 8285 §4.2: 0xBEDE, length in words, then ID and length less one in an octet; RFC 6464 §3.
  @Test func `the audio level follows in a one-byte extension padded to a word`() {
    var header = Self.header
    header.audioLevel = AudioLevel(levelDBov: -33, hasVoiceActivity: true)
    #expect(write(header) == octets("90 EF 1234 56789ABC DEADBEEF BEDE 0001 10 A1 0000"))
    #expect(header.byteCount == 20)
  }

  /// As few octets as hold the set, the highest first; zeros fill the word (RFC 8285 §4.2).
  @Test(
    arguments: [
      (0, nil, "0001 2000 0000"), (1, nil, "0001 2001 0000"), (0x80, 0xA1, "0001 10A1 2080"),
      (0x8001, nil, "0001 21 8001 00"), (0x8001, 0xA1, "0002 10A1 21 8001 000000"),
      (0x01_0000, 0x7F, "0002 107F 22 010000 0000"),
      (0x8000_0001, 0xA1, "0002 10A1 23 80000001 00"),
    ] as [(UInt32, UInt8?, String)])
  func `the lines that a packet is for follow in as few octets as hold them`(
    lines: UInt32, level: UInt8?, elements: String
  ) throws {
    var header = Self.header
    header.lines = LineSet(rawValue: lines)
    header.audioLevel = level.map { AudioLevel(octet: $0) }
    let bytes = write(header)
    #expect(bytes == octets("90 EF 1234 56789ABC DEADBEEF BEDE " + elements))
    #expect(bytes.count == header.byteCount && bytes.count <= RTPHeader.maximumByteCount)
    #expect(try parse(bytes).header == header)
  }

  @Test(arguments: 0..<RTPHeader.maximumByteCount)
  func `a header that does not fit is not written`(capacity: Int) {
    var header = Self.header
    header.audioLevel = AudioLevel(levelDBov: 0, hasVoiceActivity: false)
    (header.lines, header.run) = (LineSet(line: 31), 254)
    #expect(header.byteCount == RTPHeader.maximumByteCount)
    #expect(write(header, capacity: capacity).isEmpty)
  }

  @Test func `a payload type beyond seven bits does not touch the marker`() {
    var header = Self.header
    header.marker = false
    header.payloadType = 0xEF
    #expect(write(header)[1] == 0x6F)
  }

  @Test func `random headers come back as they were written`() throws {
    var random = SplitMix64(seed: 1)
    for _ in 0..<1000 {
      let header = RTPHeader(
        marker: .random(using: &random), payloadType: .random(in: 0...127, using: &random),
        sequenceNumber: SequenceNumber(rawValue: .random(in: 0...UInt16.max, using: &random)),
        timestamp: RTPTimestamp(rawValue: .random(in: 0...UInt32.max, using: &random)),
        ssrc: SSRC(rawValue: .random(in: 0...UInt32.max, using: &random)),
        audioLevel: Bool.random(using: &random)
          ? AudioLevel(octet: .random(in: 0...255, using: &random)) : nil,
        lines: Bool.random(using: &random)
          ? LineSet(rawValue: .max >> UInt32.random(in: 0...31, using: &random)) : nil)
      let bytes = write(header) + [1, 2, 3]
      let packet = try parse(bytes)
      #expect(packet.header == header)
      #expect(packet.payload == header.byteCount..<bytes.count)
    }
  }
}
