/// How a recording goes, or went.
public struct RecordingReport: Hashable, Sendable {
  /// Where it stands.
  public enum Phase: Hashable, Sendable {
    /// Its folder is being made.
    case beginning
    /// Sound is written.
    case running
    /// It ended as asked.
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
  /// What was asked for.
  public var settings: TakeSettings
  /// Length of the files, in seconds.
  public var seconds = 0.0
  /// For how long there is room yet, in seconds, about; nil: not known.
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
