import Audio
import Glibc
import Media
import Measurement

/// Sends speech through an encoder and a decoder of their own, as the station's are set.
///
/// Any thread; it takes some 100 ms of it.
struct CodecTest {
  private static let rate = 48_000
  private static let seconds = 4.0
  private static let mostPayloadBytes = 1500

  let configuration: IntercomConfiguration
  /// As frames are coded now.
  let coding: VoiceCoding

  func run() throws(AudioError) -> SpeechMeasurement {
    let encoder = try configuration.makeEncoder(for: coding)
    let decoder = try OpusDecoder()
    let said = ArtificialSpeech.frames(seconds: Self.seconds, sampleRate: Self.rate)
    // Whole codec frames, and another so that all of it comes out.
    let spare = coding.framesPerPacket + encoder.lookaheadFrames
    let input = said + [Float](repeating: 0, count: spare)
    let began = Self.processorSeconds()
    let output = Self.coded(input, by: encoder, decoder, framesPerPacket: coding.framesPerPacket)
    let took = Self.processorSeconds() - began
    let start = encoder.lookaheadFrames
    let heard = output.dropFirst(start) + [Float](repeating: 0, count: said.count)
    let figure = Intelligibility.stoi(
      said: said, heard: Array(heard.prefix(said.count)), sampleRate: Self.rate)
    return SpeechMeasurement(
      intelligibility: figure ?? 0,
      delayMilliseconds: Double(coding.framesPerPacket + start) / 48,
      processorShare: took / Self.seconds, packetMilliseconds: Double(coding.framesPerPacket) / 48,
      kilobits: Double(coding.bitsPerSecond) / 1000,
      application: configuration.application(of: coding).rawValue)
  }

  private static func coded(
    _ input: [Float], by encoder: OpusEncoder, _ decoder: OpusDecoder, framesPerPacket: Int
  ) -> [Float] {
    var payload = [UInt8](repeating: 0, count: mostPayloadBytes)
    var frame = [Float](repeating: 0, count: OpusDecoder.maximumPacketFrames)
    var output: [Float] = []
    output.reserveCapacity(input.count)
    var start = 0
    while start + framesPerPacket <= input.count {
      var octets = payload.mutableSpan
      var bytes = unsafe octets.mutableBytes
      let count = encoder.encode(
        input.span.extracting(start..<start + framesPerPacket), into: &bytes)
      var room = frame.mutableSpan
      let packet = payload.span.extracting(..<max(0, count))
      let decoded = unsafe decoder.decode(packet.bytes, into: &room)
      output += frame.prefix(max(0, decoded))
      start += framesPerPacket
    }
    return output
  }

  private static func processorSeconds() -> Double {
    var time = timespec()
    _ = unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}

extension IntercomConfiguration {
  /// What Opus is tuned for in a coding that the station may use.
  func application(of coding: VoiceCoding) -> OpusApplication {
    coding.isSpeech ? .voip : application
  }

  /// An encoder of its own for a coding that the station may use.
  func makeEncoder(for coding: VoiceCoding) throws(AudioError) -> OpusEncoder {
    let isNarrowed = coding.isSpeech && !self.coding.isSpeech
    return try OpusEncoder(
      application: application(of: coding), bitrateBitsPerSecond: coding.bitsPerSecond,
      complexity: complexity, bandwidth: isNarrowed ? .wide : bandwidth)
  }
}
