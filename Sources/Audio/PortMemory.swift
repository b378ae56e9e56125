/// Which connections a session makes again, as it outlives a run of the daemon.
public struct PortMemory: Hashable, Sendable {
  /// One connection; our own ports have no client before the colon (":mic"), whatever we are called next.
  public struct Entry: Hashable, Sendable {
    /// The output port.
    public var source: String
    /// The input port.
    public var destination: String
    /// Whether we chose it ourselves, as the card's first ports, and not the user.
    public var isAutomatic: Bool

    /// A connection.
    public init(source: String, destination: String, isAutomatic: Bool) {
      self.source = source
      self.destination = destination
      self.isAutomatic = isAutomatic
    }
  }

  /// Those that were made first come first, and go first where there are too many.
  public var entries: [Entry]
  /// The user took the mic from the card: no card is connected to it by itself.
  public var isCaptureCut: Bool
  /// The same of the mix.
  public var isPlaybackCut: Bool

  /// A memory; without arguments that of a node which never ran.
  public init(entries: [Entry] = [], isCaptureCut: Bool = false, isPlaybackCut: Bool = false) {
    self.entries = entries
    self.isCaptureCut = isCaptureCut
    self.isPlaybackCut = isPlaybackCut
  }
}
