/// Why bytes of a control connection are not what ``MessageDecoder`` takes.
///
/// What is thrown holds no bytes of the sender; the connection is of no more use.
public enum MeshError: Error, Hashable, Sendable {
  /// A length prefix above the limit; nothing of that message was kept.
  case oversized(byteCount: Int, maximum: Int)
  /// A message of no octets, or a number or field that ends after what it stands in.
  case truncated
  /// A field that must be there is not, or has a wrong length or value.
  case malformed(type: UInt64, tag: UInt64)
  /// A hello of a version that this software does not speak.
  case version(major: UInt64, minor: UInt64)
  /// A message that was begun and not finished in time.
  case slow(seconds: Int)
}
