/// How a recording goes, or went.
public struct RecordingReport: Hashable, Sendable {
  /// Where it stands.
  public enum Phase: Hashable, Sendable {
    /// Sound is written.
    case running
    /// It ended as asked.
    case ended
    /// It ended by itself.
    case failed(RecordingError)
  }

  /// Where it stands.
  public var phase = Phase.running
  /// The take's folder.
  public var path: String
  /// What was asked for.
  public var settings: TakeSettings
  /// Length of the files, in seconds.
  public var seconds = 0.0
  /// Bytes of all files.
  public var byteCount = 0
  /// Files so far.
  public var fileCount = 0
  /// Frames that were not written as the disk was too slow, of all files; silence is in their place.
  public var lostFrames = 0
  /// For how long the disk has not answered, in seconds; 0 as a rule.
  public var stalledSeconds = 0.0
}
