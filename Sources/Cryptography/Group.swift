/// A group: a name, and the secret whose holders admit each other without asking.
///
/// Shared by reference, so that the secret lies in one place only. Printing it, in whatever way, shows the name alone.
public final class Group: Sendable {
  /// Octets of a secret.
  public static let secretByteCount = 32
  /// How many words are shown of it: 8 bits each.
  ///
  /// Their 32 bits are good against mistakes, not against attackers: who makes secrets by the billion finds one with
  /// the same words.
  public static let wordCount = 4

  /// What people call it.
  public let name: String
  private let secret: SecretBytes

  /// Makes a new one, of the system's random numbers.
  public convenience init(name: String) throws(CryptoError) {
    try self.init(name: name, secret: SecretBytes(randomByteCount: Self.secretByteCount))
  }

  /// The one of a secret that was kept.
  public init(name: String, secret: consuming SecretBytes) throws(CryptoError) {
    try GroupName.check(name)
    guard secret.byteCount == Self.secretByteCount else {
      throw .malformed(
        what: "secret of a group",
        reason: "\(secret.byteCount) bytes instead of \(Self.secretByteCount)")
    }
    self.name = name
    self.secret = secret
  }

  /// Words by which people can tell whether they have the same secret.
  ///
  /// The first ``wordCount`` octets of SHA-256 of `comlink group words 1`, a zero octet and the secret: of 256 random bits
  /// they tell nothing that helps to find them.
  public var words: [String] {
    let hash = secret.withBytes { secret -> [UInt8] in
      var input = Array("comlink group words 1".utf8) + [0]
      unsafe secret.withUnsafeBytes { unsafe input.append(contentsOf: $0) }
      defer { Sodium.zero(&input) }
      return unsafe Digest.sha256(input.span.bytes)
    }
    return FingerprintWords.words(of: hash.prefix(Self.wordCount))
  }

  /// Whether both have the same secret; takes as long when they do not.
  public func hasSameSecret(as other: Group) -> Bool { secret.isEqual(to: other.secret) }

  /// Lets `body` read the secret.
  public func withSecret<Result: ~Copyable, Failure: Error>(
    _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try secret.withBytes(body)
  }
}

extension Group: CustomReflectable, CustomDebugStringConvertible {
  /// The name alone.
  public var debugDescription: String { "Group(\(name), secret kept)" }
  /// The name alone.
  public var customMirror: Mirror { Mirror(self, children: ["name": name]) }
}
