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
  /// Time until the size limit or the disk is full at the present rate, seconds; absent where that is not known
  /// and after the end.
  public var secondsLeft: Double?
  /// Bytes of all files.
  public var bytes: Int
  /// The most that they may have together, bytes.
  public var mostBytes: Int
  /// Files being written.
  public var files: Int
  /// Files that ended before the others, or were never made.
  public var failedFiles: Int?
  /// The talker of the last of those, and the reason, in words; absent where there is none.
  public var fileProblem: String?
  /// Frames dropped because the disk was too slow, of all files; silence replaces them.
  public var droppedFrames: Int
  /// How long the disk has been stalled, seconds; usually 0.
  public var stalledSeconds: Double
  /// Why it ended, in words; absent while it runs.
  public var endReason: String?
  /// Whether it ended by itself and not on request; absent while it runs.
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
