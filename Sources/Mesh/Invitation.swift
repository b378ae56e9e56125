public import Cryptography

/// A stranger who asks to be taken as a member.
public struct Invitation: Hashable, Sendable {
  /// Who asks, as the connection proved.
  public let node: NodeID
  /// What it tells about itself; nobody vouches for the name.
  public let profile: NodeProfile
  /// When it is declined unless somebody answers.
  public let deadlineNanoseconds: Int64
}
