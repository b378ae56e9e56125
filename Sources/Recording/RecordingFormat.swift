/// How a recording's files are written.
public enum RecordingFormat: String, CaseIterable, Sendable {
  /// Ogg Opus (RFC 7845), 48 kHz: 64 kbit/s a talker and 128 for the mix.
  case opus
  /// WAV, PCM of 24 bits at JACK's rate; RF64 (EBU Tech 3306) from 4 GiB on.
  case wav

  /// The ending of the files' names.
  var fileExtension: String { rawValue }

  /// The rate of a file's frames where JACK ran at `sampleRate` when it began, in hertz.
  func fileRate(sampleRate: Int) -> Int {
    switch self {
    case .opus: OpusTrack.codecRate
    case .wav: sampleRate
    }
  }

  /// About what a file grows by.
  ///
  /// - Parameter sampleRate: JACK's, in hertz.
  func bytesPerSecond(channels: Int, sampleRate: Int) -> Int {
    switch self {
    case .opus: OpusTrack.bitsPerSecond(channels: channels) / 8 * 5 / 4
    case .wav: sampleRate * channels * WAVHeader.bytesPerSample
    }
  }
}
