/// Which JACK connections of its ports a node makes again, kept across restarts.
public struct PortMemory: Hashable, Sendable {
  /// Most connections that are kept: the latest.
  public static let mostEntries = 512
  /// Longest name of a port in UTF-8 (JACK's own limit is 319); a connection with a longer one is not kept.
  public static let longestNameBytes = 1024

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
