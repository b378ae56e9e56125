public import Cryptography

/// What members are called, as it outlives a run.
public struct KeptNames: Equatable, Sendable {
  /// One member's name.
  public struct Entry: Equatable, Sendable {
    /// What it calls itself.
    public var wish: String
    /// What it is called here.
    public var name: String

    /// A name.
    public init(wish: String, name: String) {
      self.wish = wish
      self.name = name
    }
  }

  /// The most members of which the name is kept.
  public static let entryLimit = 256
  /// The longest of either in UTF-8; a member with a longer one is not kept.
  public static let nameLimitBytes = 64

  /// The members by their IDs.
  public var entries: [NodeID: Entry]

  /// Names; without arguments those of a node that never met anybody.
  public init(entries: [NodeID: Entry] = [:]) { self.entries = entries }
}
