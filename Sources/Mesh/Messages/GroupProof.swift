/// Proves, to who is in one of the sender's groups and to nobody else, that the sender is in it too.
public struct GroupProof: Hashable, Sendable {
  /// Octets of one authentication code.
  public static let codeBytes = 32
  /// Most groups that one node proves; readers ignore the rest.
  public static let maximumCodes = 64

  /// One for each group of the sender's; which group, only its members can tell.
  public var codes: [[UInt8]]

  /// Makes a proof; without codes that of a node in no group.
  public init(codes: [[UInt8]] = []) { self.codes = codes }
}
