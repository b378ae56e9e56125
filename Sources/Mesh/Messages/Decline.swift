/// The sender does not take the receiver as a member.
public struct Decline: Hashable, Sendable {
  /// Why, for people.
  public var words: String

  /// Makes a refusal.
  public init(words: String) { self.words = words }
}
