public import Cryptography

/// What members are called, as it outlives a run of the daemon.
public struct NameMemory: Hashable, Sendable {
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
