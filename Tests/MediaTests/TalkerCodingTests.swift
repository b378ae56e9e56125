import RTP
import TestKit
import Testing

@testable import Media

/// Another packet length, bit rate or mode between two frames.
@Suite struct TalkerCodingTests {
  private struct Voices {
    let full = ToneCodec.Encoder()
    let lean = ToneCodec.Encoder()
    let speech = ToneCodec.Encoder()
    let leanSpeech = ToneCodec.Encoder()

    var encoders: TalkerEncoders {
      TalkerEncoders(full: full, lean: lean, speech: speech, leanSpeech: leanSpeech)
    }
  }

  private static func talker(_ encoders: TalkerEncoders) -> Talker {
    Talker(
      configuration: TalkerConfiguration(
        ssrc: SSRC(rawValue: 77), framesPerPacket: 480,
        firstSequenceNumber: SequenceNumber(rawValue: 10),
        firstTimestamp: RTPTimestamp(rawValue: 1000), usesDTX: false), encoders: encoders)
  }

  private static func say(_ talker: Talker) -> TalkerTests.Sent? {
    TalkerTests.encode(
      TalkerTests.tone(frames: talker.framesPerPacket, amplitude: 0.5), with: talker)
  }

  @Test func `packets of another length go on in number and time`() throws {
    let talker = Self.talker(Voices().encoders)
    var (number, timestamp) = (UInt16(10), UInt32(1000))
    for frames in [480, 960, 2880, 120, 480] {
      talker.aim(VoiceCoding(framesPerPacket: frames, bitsPerSecond: 32_000))
      for _ in 0..<3 {
        let sent = try #require(Self.say(talker))
        #expect(sent.header.sequenceNumber.rawValue == number)
        #expect(sent.header.timestamp.rawValue == timestamp)
        let announced = try #require(OpusTOC.frameCount(payload: unsafe sent.payload.span.bytes))
        #expect(announced == frames)
        (number, timestamp) = (number + 1, timestamp + UInt32(frames))
      }
    }
  }

  @Test func `each mode has its encoders`() {
    let voices = Voices()
    let talker = Self.talker(voices.encoders)
    talker.aim(VoiceCoding(framesPerPacket: 480, bitsPerSecond: 48_000))
    #expect(voices.full.bitsPerSecond == 48_000 && voices.lean.bitsPerSecond == 16_000)
    #expect(voices.speech.bitsPerSecond != 48_000)
    talker.aim(VoiceCoding(framesPerPacket: 960, bitsPerSecond: 24_000, isSpeech: true))
    #expect(voices.speech.bitsPerSecond == 24_000 && voices.leanSpeech.bitsPerSecond == 12_000)
    #expect(voices.full.bitsPerSecond == 48_000)
  }

  /// Who receives it could not tell its length, and so not its number.
  @Test func `a frame of another length is not copied`() throws {
    let talker = Self.talker(Voices().encoders)
    let recipe = RepairRecipe(nearDistance: 1)
    var sizes: [Int] = []
    for frames in [480, 480, 960, 960] {
      talker.aim(VoiceCoding(framesPerPacket: frames, bitsPerSecond: 32_000))
      let pcm = TalkerTests.tone(frames: frames, amplitude: 0.5)
      let isCoded = talker.encode(pcm.span)
      #expect(isCoded)
      var datagram = [UInt8](repeating: 0, count: 400)
      var octets = datagram.mutableSpan
      var bytes = unsafe octets.mutableBytes
      sizes.append(talker.write(recipe, into: &bytes))
    }
    let copyBytes = RedundantPayload.copyHeaderBytes + ToneCodec.payloadBytes
    #expect(sizes[1] == sizes[0] + copyBytes)
    #expect(sizes[2] == sizes[0])
    #expect(sizes[3] == sizes[1])
  }
}
