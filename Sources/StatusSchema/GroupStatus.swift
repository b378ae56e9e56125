/// A group that a node is in, without its secret.
public struct GroupStatus: Sendable, Hashable, Codable {
  /// What people call it.
  public var name: String
  /// Four words of a hash of its secret, blanks between them: the same words, the same secret, but for
  /// what an attacker makes: they are 32 bits, good against mistakes only.
  public var words: String

  /// A group as it is listed.
  public init(name: String, words: String) {
    self.name = name
    self.words = words
  }
}
