/// A number used once, against which the receiver proves the groups it belongs to.
public struct Challenge: Hashable, Sendable {
  /// Octets of the number.
  public static let nonceBytes = 32

  /// Random, and another for each connection and end.
  public var nonce: [UInt8]

  /// Makes a challenge.
  public init(nonce: [UInt8]) { self.nonce = nonce }
}
