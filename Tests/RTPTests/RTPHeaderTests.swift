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
    #expect(header.byteCount == RTPHeader.maximumByteCount)
  }

  @Test(arguments: 0..<RTPHeader.maximumByteCount)
  func `a header that does not fit is not written`(capacity: Int) {
    var header = Self.header
    header.audioLevel = AudioLevel(levelDBov: 0, hasVoiceActivity: false)
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
          ? AudioLevel(octet: .random(in: 0...255, using: &random)) : nil)
      let bytes = write(header) + [1, 2, 3]
      let packet = try parse(bytes)
      #expect(packet.header == header)
      #expect(packet.payload == header.byteCount..<bytes.count)
    }
  }
}
