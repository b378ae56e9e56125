public import Cryptography
public import EventLoop

/// A member as the media know it: whose sound may come in, and where it may be.
public struct MediaMember: Sendable, Hashable {
  /// The most addresses that are tried at once.
  public static let mostAddresses = 8

  /// Who it is.
  public var node: NodeID
  /// What it is called until its own reports say so.
  public var name: String
  /// Where it may be reached; of more than ``mostAddresses`` the first.
  public var addresses: [SocketAddress]
  /// Whether it says that it records.
  public var isRecording: Bool

  /// A member.
  public init(
    node: NodeID, name: String, addresses: [SocketAddress], isRecording: Bool = false
  ) {
    self.node = node
    self.name = name
    self.addresses = addresses
    self.isRecording = isRecording
  }
}
