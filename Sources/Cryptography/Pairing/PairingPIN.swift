/// Six digits that a person reads on one node and types on another.
///
/// One in a million for each guess. It cannot be printed by mistake: a value that cannot be copied goes into no string.
public struct PairingPIN: ~Copyable, Sendable {
  /// How many digits it has.
  public static let digitCount = 6

  private let secret: SecretBytes

  /// A new one; all are as likely.
  init() throws(CryptoError) {
    // Swift's own generator asks the system's (SE-0202) and chooses without bias.
    let digits = (0..<Self.digitCount).map { _ in UInt8.random(in: 48...57) }
    secret = unsafe try SecretBytes(copying: digits.span.bytes)
  }

  /// The one that somebody typed; blanks and dashes between the digits do not count.
  public init(typed text: String) throws(CryptoError) {
    var digits = text.utf8.filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "-") }
    defer { Sodium.zero(&digits) }
    let isPIN =
      digits.count == Self.digitCount
      && digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    guard isPIN else {
      throw .malformed(what: "PIN", reason: "it must have \(Self.digitCount) digits")
    }
    secret = unsafe try SecretBytes(copying: digits.span.bytes)
  }

  /// The digits, to be shown to whoever stands before the node, and to nobody else.
  public var text: String {
    secret.withBytes { digits in
      unsafe digits.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
    }
  }

  /// Lets `body` use the digits; the copy is zeroed after it.
  func withDigits<Result: ~Copyable, Failure: Error>(
    _ body: ([UInt8]) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var digits = secret.withBytes { digits in
      unsafe digits.withUnsafeBytes { unsafe Array($0) }
    }
    defer { Sodium.zero(&digits) }
    return try body(digits)
  }
}
