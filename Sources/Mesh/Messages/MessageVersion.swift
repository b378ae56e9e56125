/// A version of the control messages.
///
/// Within one major number fields and types are only ever added, which raises the minor one.
public struct MessageVersion: Hashable, Sendable, CustomStringConvertible {
  /// Who differs in this cannot talk.
  public let major: UInt64
  /// Who has the higher one knows more fields.
  public let minor: UInt64

  /// Makes a version.
  public init(major: UInt64, minor: UInt64) {
    self.major = major
    self.minor = minor
  }

  /// What this software speaks.
  public static let current = MessageVersion(major: 1, minor: 3)

  /// `1.0`.
  public var description: String { "\(major).\(minor)" }
}
