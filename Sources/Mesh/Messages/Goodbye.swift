public import Cryptography

/// The sender leaves, and its connections end.
public struct Goodbye: Hashable, Sendable {
  /// Who leaves; not believed on a connection that is another's.
  public var node: NodeID
  /// The run of it that ends.
  public var instance: UInt64
  /// Why, for people; empty for no reason.
  public var words: String

  /// Makes a goodbye.
  public init(node: NodeID, instance: UInt64, words: String = "") {
    self.node = node
    self.instance = instance
    self.words = words
  }
}
