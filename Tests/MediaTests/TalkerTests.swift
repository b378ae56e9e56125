import Media
import RTP
import TestKit
import Testing

@Suite struct TalkerTests {
  struct Sent {
    let header: RTPHeader
    let payload: [UInt8]
  }

  static func encode(_ pcm: [Float], with talker: Talker) -> Sent? {
    var datagram = [UInt8](repeating: 0xEE, count: 200)
    var octets = datagram.mutableSpan
    var bytes = unsafe octets.mutableBytes
    let count = talker.encode(pcm.span, into: &bytes)
    guard count > 0 else { return nil }
    let sent = Array(datagram[..<count])
    guard let packet = try? RTPPacket(parsing: unsafe sent.span.bytes) else { return nil }
    return Sent(header: packet.header, payload: Array(sent[packet.payload]))
  }

  static func makeTalker(frames: Int, usesDTX: Bool = true, encoder: ToneCodec.Encoder = .init())
    -> Talker
  {
    Talker(
      configuration: TalkerConfiguration(
        ssrc: SSRC(rawValue: 77), framesPerPacket: frames,
        firstSequenceNumber: SequenceNumber(rawValue: 65_534),
        firstTimestamp: RTPTimestamp(rawValue: .max - 500), usesDTX: usesDTX),
      encoder: encoder)
  }

  static func tone(frames: Int, amplitude: Float) -> [Float] {
    (0..<Int64(frames)).map { amplitude * ToneCodec.tone(at: $0) }
  }

  @Test(arguments: TalkerConfiguration.supportedFramesPerPacket)
  func `every frame makes one packet that advances both counters`(frames: Int) throws {
    let talker = Self.makeTalker(frames: frames)
    let pcm = Self.tone(frames: frames, amplitude: 0.5)
    for index in 0..<50 {
      let sent = try #require(Self.encode(pcm, with: talker))
      #expect(sent.header.sequenceNumber.rawValue == UInt16(65_534) &+ UInt16(index))
      #expect(sent.header.timestamp.rawValue == (UInt32.max - 500) &+ UInt32(index * frames))
      #expect(sent.header.ssrc.rawValue == 77 && sent.header.payloadType == 111)
      #expect(sent.payload.count == ToneCodec.payloadBytes)
    }
    #expect(talker.counters.packets == 50)
    #expect(talker.counters.payloadOctets == 50 * ToneCodec.payloadBytes)
  }

  @Test(arguments: [
    (1.0, -3), (0.5, -9), (0.1, -23), (0.01, -43), (0.001, -63), (0.0001, -83), (0, -127),
  ])
  func `the level is that of the frame`(amplitude: Double, levelDBov: Int) throws {
    let talker = Self.makeTalker(frames: 240, usesDTX: false)
    let pcm = Self.tone(frames: 240, amplitude: Float(amplitude))
    let level = try #require(Self.encode(pcm, with: talker)?.header.audioLevel)
    #expect(level.levelDBov == levelDBov)
    #expect(level.hasVoiceActivity == (levelDBov > -65))
  }

  @Test func `a VOX that is open is voice however low it is, and the end of it with the VOX`() {
    let talker = Self.makeTalker(frames: 480)
    let low = Self.tone(frames: 480, amplitude: 0.0001)
    let silence = [Float](repeating: 0, count: 480)
    let loud = Self.tone(frames: 480, amplitude: 0.5)
    func isSent(_ pcm: [Float], _ isTransmitting: Bool) -> Bool {
      talker.encode(pcm.span, isTransmitting: isTransmitting)
    }
    for _ in 0..<10 { #expect(isSent(low, true) && talker.isTalking) }
    // What says that nobody talks, and then nothing for 0.4 s.
    #expect(isSent(silence, false) && !talker.isTalking)
    for _ in 0..<30 { #expect(!isSent(low, false)) }
    // Of something else that is loud meanwhile it keeps the hang-over.
    #expect(isSent(loud, false))
    #expect(isSent(silence, false) && talker.isTalking)
    // With the key up there is nothing to send.
    for _ in 0..<100 { _ = isSent(silence, true) }
    #expect(!talker.isTalking)
  }

  @Test func `values that are no numbers are silence`() throws {
    let talker = Self.makeTalker(frames: 120, usesDTX: false)
    let pcm = [Float](repeating: .nan, count: 120)
    let level = try #require(Self.encode(pcm, with: talker)?.header.audioLevel)
    #expect(level == AudioLevel(levelDBov: -127, hasVoiceActivity: false))
  }

  @Test(arguments: TalkerConfiguration.supportedFramesPerPacket)
  func `a keep alive is one byte of the right duration`(frames: Int) throws {
    let talker = Self.makeTalker(frames: frames)
    let silence = [Float](repeating: 0, count: frames)
    let sent = (0..<(96_000 / frames)).compactMap { _ in Self.encode(silence, with: talker) }
    // 2 s: at once and each 400 ms, rounded up to whole packets.
    #expect(sent.count == 5)
    for notice in sent {
      #expect(notice.payload.count == 1)
      #expect(!notice.header.marker)
      #expect(unsafe OpusTOC.frameCount(payload: notice.payload.span.bytes) == frames)
      #expect(notice.payload[0] & 3 == 0)
    }
    #expect(talker.counters.suppressedFrames == 96_000 / frames - 5)
    #expect(!talker.isTalking)
  }

  @Test func `without DTX silence is sent`() {
    let talker = Self.makeTalker(frames: 120, usesDTX: false)
    let silence = [Float](repeating: 0, count: 120)
    let sent = (0..<500).compactMap { _ in Self.encode(silence, with: talker) }
    #expect(sent.count == 500)
    #expect(sent.filter(\.header.marker).count == 1)
  }

  @Test func `an encoder error sends nothing and is counted`() throws {
    let encoder = ToneCodec.Encoder()
    let talker = Self.makeTalker(frames: 120, encoder: encoder)
    let pcm = Self.tone(frames: 120, amplitude: 0.5)
    encoder.isFailing = true
    #expect(Self.encode(pcm, with: talker) == nil)
    #expect(talker.counters.encoderErrors == 1)
    encoder.isFailing = false
    let sent = try #require(Self.encode(pcm, with: talker))
    #expect(sent.header.marker)
    #expect(sent.header.sequenceNumber.rawValue == 65_534)
    #expect(sent.header.timestamp.rawValue == UInt32.max - 380)
  }

  @Test func `voice below the threshold for less than the hang over is still voice`() {
    let talker = Self.makeTalker(frames: 480)
    _ = Self.encode(Self.tone(frames: 480, amplitude: 0.1), with: talker)
    for _ in 0..<29 {
      #expect(Self.encode([Float](repeating: 0, count: 480), with: talker) != nil)
      #expect(talker.isTalking)
    }
    _ = Self.encode([Float](repeating: 0, count: 480), with: talker)
    #expect(!talker.isTalking)
  }
}
