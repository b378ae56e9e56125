/// A recording in a ``Status``.
public struct RecordingStatus: Sendable, Hashable, Codable {
  /// Whether sound is written now.
  public var isRunning: Bool
  /// The folder of its files.
  public var path: String
  /// `opus` or `wav`.
  public var format: String
  /// Length of the files, seconds.
  public var seconds: Double
  /// For how long there is room yet, by size and disk, as the files grow now, seconds; absent where that is not known
  /// and after the end.
  public var secondsLeft: Double?
  /// Bytes of all files.
  public var bytes: Int
  /// The most that they may have together, bytes.
  public var mostBytes: Int
  /// Files that are written.
  public var files: Int
  /// Files that ended before the others, or were never made.
  public var failedFiles: Int?
  /// Whose the last of those is, and why, in words; absent where there is none.
  public var fileProblem: String?
  /// Frames that the disk was too slow for, of all files; silence is in their place.
  public var droppedFrames: Int
  /// For how long the disk has not taken anything, seconds; 0 as a rule.
  public var stalledSeconds: Double
  /// Why it ended, in words; absent while it runs.
  public var endReason: String?
  /// Whether it ended by itself, and not because it was asked to; absent while it runs.
  public var hasFailed: Bool?

  /// A recording that has just begun.
  public init(path: String, format: String, mostBytes: Int) {
    isRunning = true
    self.path = path
    self.format = format
    self.mostBytes = mostBytes
    (seconds, bytes, files, droppedFrames, stalledSeconds) = (0, 0, 0, 0, 0)
  }
}
