/// What is recorded, where to and how much at most.
public struct TakeSettings: Hashable, Sendable {
  /// 10 GB: a day and a half of eight talkers and the mix in Opus, nearly two hours in WAV.
  public static let defaultMaximumBytes = 10_000_000_000
  /// 1 GB: the system and its logs live on.
  public static let defaultKeptFreeBytes = 1_000_000_000

  /// An existing folder; the take gets one of its own in it.
  public var directory: String
  /// A file for each talker, the own microphone among them.
  public var keepsTalkers: Bool
  /// A file of the mix, stereo.
  public var keepsMix: Bool
  /// How the files are written.
  public var format: RecordingFormat
  /// The most that all files of the take may have together, in bytes.
  public var maximumBytes: Int
  /// The recording ends before the disk has less free than that, in bytes.
  public var keptFreeBytes: Int

  /// Everything as Opus, within the default bounds.
  public init(directory: String) {
    self.directory = directory
    keepsTalkers = true
    keepsMix = true
    format = .opus
    maximumBytes = Self.defaultMaximumBytes
    keptFreeBytes = Self.defaultKeptFreeBytes
  }
}
