/// What a voice message is, in a ``MessageStatus``.
public struct VoiceMessageStatus: Sendable, Hashable, Codable {
  /// How long it sounds.
  public var seconds: Double
  /// Octets of its audio.
  public var bytes: Int
  /// The waveform: the greatest level of parts of equal length, 0 to 255 of full scale, two hexadecimal digits each; at
  /// most 1000 parts.
  public var peaks: String
  /// What is said in it, as this node's speech service understood it; nil: that is not known.
  public var transcript: String?

  /// A voice message.
  public init(seconds: Double, bytes: Int, peaks: String) {
    (self.seconds, self.bytes, self.peaks) = (seconds, bytes, peaks)
  }
}

/// A voice message that is being recorded.
public struct VoiceRecordingStatus: Sendable, Hashable, Codable {
  /// How long it sounds up to now.
  public var seconds: Double
  /// Whether it stands still.
  public var isPaused: Bool
  /// The greatest level of the last tenth of a second.
  public var levelDBFS: Double
  /// The waveform up to now, as ``VoiceMessageStatus/peaks``.
  public var peaks: String
  /// What its user should know, in words, such as that it is almost as long as it can be; absent as a rule.
  public var warning: String?

  /// A recording.
  public init(seconds: Double, isPaused: Bool, levelDBFS: Double, peaks: String) {
    (self.seconds, self.isPaused, self.levelDBFS) = (seconds, isPaused, levelDBFS)
    self.peaks = peaks
  }
}

/// A voice message that plays at this node's ear.
public struct VoicePlayingStatus: Sendable, Hashable, Codable {
  /// The message's number.
  public var number: Int64
  /// What is heard now, seconds from its start.
  public var seconds: Double
  /// How long it sounds, seconds.
  public var totalSeconds: Double
  /// How fast, 1: as it was recorded.
  public var speed: Double
  /// Whether it stands still.
  public var isPaused: Bool

  /// One that plays.
  public init(number: Int64, seconds: Double, totalSeconds: Double, speed: Double, isPaused: Bool) {
    (self.number, self.seconds, self.totalSeconds) = (number, seconds, totalSeconds)
    (self.speed, self.isPaused) = (speed, isPaused)
  }
}
