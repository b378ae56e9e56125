/// A file of a take that could not be made, or not be written any further, while the others go on.
public struct TrackFailure: Hashable, Sendable {
  /// Whose sound it was to have.
  public var name: String
  /// Why.
  public var error: RecordingError
}
