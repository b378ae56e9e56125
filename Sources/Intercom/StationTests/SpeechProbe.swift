import Media
import Measurement

/// How well speech gets through.
public struct SpeechMeasurement: Sendable, Hashable {
  /// STOI, 0…1.
  public var intelligibility: Double
  /// Until it comes out again: of the codec alone, or there and back.
  public var delayMilliseconds: Double
  /// Seconds of processor time that coding and decoding a second took; nil where it was not alone.
  public var processorShare: Double?
  /// Audio in a packet.
  public var packetMilliseconds: Double
  /// What Opus aimed at.
  public var kilobits: Double
  /// What Opus is tuned for, in its word.
  public var application: String
}

/// Speech with silence before and after it, and its search in what came back.
struct SpeechProbe: Sendable {
  private static let speechSeconds = 4.0
  private static let leadSeconds = 0.5
  /// The longest echo that is found.
  private static let echoSeconds = 1.0
  /// What speech is found by; most of its energy is there.
  private static let band = 100.0...4000.0
  /// The delay may change under way; each second is looked for again, that far around.
  private static let slackSeconds = 0.15

  private let sampleRate: Int
  private let speech: [Float]
  /// What is to be sent; it ends in silence.
  let signal: [Float]

  init(sampleRate: Int) {
    self.sampleRate = sampleRate
    speech = ArtificialSpeech.frames(seconds: Self.speechSeconds, sampleRate: sampleRate)
    let silences = [Self.leadSeconds, Self.echoSeconds].map {
      [Float](repeating: 0, count: Int($0 * Double(sampleRate)))
    }
    signal = silences[0] + speech + silences[1]
  }

  /// Finds the speech, straightens changes of its delay, and judges it.
  func measure(
    _ echo: Echo, coding: VoiceCoding, application: String
  ) throws(IntercomError) -> SpeechMeasurement {
    let search = PatternSearch(for: speech, sampleRate: sampleRate, band: Self.band)
    let start = Int(Self.leadSeconds * Double(sampleRate))
    guard let match = search.best(in: Array(echo.record[min(start, echo.record.count)...])) else {
      throw .refused("no speech came back")
    }
    let heard = straightened(echo.record, from: start + Int(match.lagFrames.rounded()))
    guard let figure = Intelligibility.stoi(said: speech, heard: heard, sampleRate: sampleRate)
    else { throw .refused("no speech came back") }
    return SpeechMeasurement(
      intelligibility: figure, delayMilliseconds: match.lagFrames * 1000 / Double(sampleRate),
      processorShare: nil, packetMilliseconds: Double(coding.framesPerPacket) / 48,
      kilobits: Double(coding.bitsPerSecond) / 1000, application: application)
  }

  /// The speech as it was heard, second by second where it fits best.
  private func straightened(_ record: [Float], from start: Int) -> [Float] {
    let slack = Int(Self.slackSeconds * Double(sampleRate))
    var heard: [Float] = []
    for offset in stride(from: 0, to: speech.count, by: sampleRate) {
      let second = Array(speech[offset..<min(offset + sampleRate, speech.count)])
      let first = max(0, start + offset - slack)
      let window = Array(record[first..<min(record.count, first + second.count + 2 * slack)])
      let search = PatternSearch(for: second, sampleRate: sampleRate, band: Self.band)
      let match = search.best(in: window)
      let place = match.map { first + Int($0.lagFrames.rounded()) } ?? start + offset
      heard += (place..<place + second.count).map { record.indices.contains($0) ? record[$0] : 0 }
    }
    return heard
  }
}
