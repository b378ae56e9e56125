/// How long an utterance is, and whether it is to be cut: somebody goes on, and a service that reads all at its end
/// would be late by minutes.
///
/// After eight seconds in the next moment that is quiet, as between two words, so that none is cut in two; after
/// fifteen anywhere.
struct UtteranceLength {
  private static let (calmSeconds, mostSeconds) = (8, 15)
  private static let bytesPerSecond = 32_000
  /// Of the mean square before: 12 dB less is quiet.
  private static let quietShare = 1.0 / 16

  /// Octets of 16 bits at 16 kHz.
  private(set) var bytes = 0
  /// The mean square of them.
  private var power = 0.0
  private var isQuiet = false

  var milliseconds: Int { bytes / (Self.bytesPerSecond / 1000) }

  /// Whether it is to end here.
  var isDue: Bool {
    bytes >= (isQuiet ? Self.calmSeconds : Self.mostSeconds) * Self.bytesPerSecond
  }

  /// Takes what came next, some hundredths of a second.
  mutating func take(_ pcm: [UInt8]) {
    guard pcm.count >= 2 else { return }
    var sum = 0.0
    for index in stride(from: 0, to: pcm.count - 1, by: 2) {
      let sample = Int16(truncatingIfNeeded: Int(pcm[index]) | Int(pcm[index + 1]) << 8)
      sum += Double(sample) * Double(sample)
    }
    let mean = sum / Double(pcm.count / 2)
    isQuiet = mean < power * Self.quietShare
    bytes += pcm.count
    power += (mean - power) * Double(pcm.count) / Double(bytes)
  }
}
