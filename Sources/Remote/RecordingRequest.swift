/// What is to be recorded, as a remote asks for it.
public struct RecordingRequest: Sendable, Hashable, Codable {
  /// The folder that the take's folder is made in: an absolute path on the daemon's machine.
  public var directory: String
  /// A file for each talker.
  public var peers: Bool
  /// A file of the mix.
  public var mix: Bool
  /// `opus` or `wav`; nil: the daemon's default, as in what follows.
  public var format: String?
  /// The most that all files may have together, bytes, above 0.
  public var maxSizeBytes: Int?
  /// What the disk is to have left, bytes, 0 and more.
  public var keepFreeBytes: Int?

  /// Asks for talkers and mix with the daemon's defaults.
  public init(directory: String) {
    self.directory = directory
    peers = true
    mix = true
  }
}
