/// What becomes of a recording that somebody may have to know of.
public enum RecorderEvent: Sendable {
  /// One file ended, or was never made, while the others go on.
  case failed(TrackFailure)
  /// It is over: the files are complete, or given up, or it could not begin.
  case ended(RecordingReport)
}
