public import Cryptography

/// What members are called, kept across restarts.
public struct NameMemory: Hashable, Sendable {
  /// Most members whose name is kept.
  public static let mostEntries = 256
  /// Longest name of either kind in UTF-8; a member with a longer one is not kept.
  public static let longestNameBytes = 64

  /// One member's name.
  public struct Entry: Hashable, Sendable {
    /// What it calls itself, cleaned.
    public var wish: String
    /// What it is called here: that, or that and a number where others call themselves the same.
    public var name: String

    /// A name.
    public init(wish: String, name: String) {
      self.wish = wish
      self.name = name
    }
  }

  /// The members that have a name, here or away.
  public var entries: [NodeID: Entry]

  /// A memory; without arguments that of a node which never met anybody.
  public init(entries: [NodeID: Entry] = [:]) { self.entries = entries }
}
