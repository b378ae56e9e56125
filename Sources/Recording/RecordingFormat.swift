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

/// How a recording goes, or went.
public struct RecordingReport: Hashable, Sendable {
  /// Where it stands.
  public enum Phase: Hashable, Sendable {
    /// Its folder is being made.
    case beginning
    /// Sound is written.
    case running
    /// It ended on request.
    case ended
    /// It ended by itself.
    case failed(RecordingError)
  }

  /// Where it stands.
  public var phase = Phase.beginning
  /// Whether there was a folder and sound could be written.
  public var hasBegun = false
  /// The take's folder; while it begins, and where it could not, the one that it was to be made in.
  public var path: String
  /// Its settings.
  public var settings: TakeSettings
  /// Length of the files, in seconds.
  public var seconds = 0.0
  /// Time until the disk or the limit is full, in seconds, about; nil: not known.
  public var secondsLeft: Double?
  /// Bytes of all files.
  public var byteCount = 0
  /// Files that are written, or were to the end.
  public var fileCount = 0
  /// Files that ended before, or were never made.
  public var failures: [TrackFailure] = []
  /// Frames that were not written as the disk was too slow, of all files; silence is in their place.
  public var lostFrames = 0
  /// For how long the disk has not answered, in seconds; 0 as a rule.
  public var stalledSeconds = 0.0
}

/// Numbers of bytes as people read them.
enum ByteCount {
  /// `1.5 GB`, in powers of 1000.
  static func words(_ bytes: Int) -> String {
    for (unit, size) in [("GB", 1_000_000_000), ("MB", 1_000_000), ("kB", 1000)]
    where bytes >= size {
      let tenths = bytes / (size / 10)
      return tenths % 10 == 0 ? "\(tenths / 10) \(unit)" : "\(tenths / 10).\(tenths % 10) \(unit)"
    }
    return "\(bytes) bytes"
  }
}
