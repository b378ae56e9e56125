/// One side of a run of CPace between two nodes, once both nonces are known.
///
/// CI is lv_cat of `comlink pair 1` and the public keys of initiator and responder; sid is both nonces; ADa and ADb are
/// the words `initiator` and `responder`, so that no message can be sent back to its sender as the other's.
struct PairingParty: ~Copyable {
  /// Who began: the node on which the PIN is typed.
  enum Role: String, Sendable {
    case initiator, responder

    var other: Role { self == .initiator ? .responder : .initiator }
  }

  /// Octets of each side's nonce.
  static let nonceByteCount = 16

  private let role: Role
  private let session: [UInt8]
  private let scalar: SecretBytes
  /// What the other side needs.
  let share: [UInt8]

  /// Takes a random scalar and makes the share.
  init(
    _ role: Role, initiator: PublicKey, responder: PublicKey, nonces session: [UInt8],
    pin: borrowing PairingPIN
  ) throws(CryptoError) {
    let context = CPace.concatenate(
      Array("comlink pair 1".utf8), initiator.bytes, responder.bytes)
    let scalar = try CPace.randomScalar()
    var generator = pin.withDigits {
      CPace.generator(password: $0, context: context, session: session)
    }
    defer { Sodium.zero(&generator) }
    share = try CPace.multiply(scalar, generator).withBytes { share in
      unsafe share.withUnsafeBytes { unsafe Array($0) }
    }
    self.scalar = scalar
    self.role = role
    self.session = session
  }

  /// What both sides know once each has the other's share: the tags, and the key.
  struct Outcome: ~Copyable {
    /// The tag to send.
    let confirmation: [UInt8]
    /// The tag that must come.
    let expected: [UInt8]
    /// 32 octets that only both of them know, good once the tags are right.
    let key: SecretBytes
  }

  /// The outcome with the other's share.
  borrowing func outcome(with otherShare: [UInt8]) throws(CryptoError) -> Outcome {
    let point = try CPace.multiply(scalar, otherShare)
    let own = CPace.Message(share: share, associated: Array(role.rawValue.utf8))
    let other = CPace.Message(share: otherShare, associated: Array(role.other.rawValue.utf8))
    let transcript =
      role == .initiator ? CPace.transcript(own, other) : CPace.transcript(other, own)
    let sessionKey = try CPace.sessionKey(point: point, session: session, transcript: transcript)
    var derived = CPace.derive("comlink pair key 1", session: session, key: sessionKey)
    defer { Sodium.zero(&derived) }
    return Outcome(
      confirmation: CPace.confirmation(of: own, session: session, key: sessionKey),
      expected: CPace.confirmation(of: other, session: session, key: sessionKey),
      key: unsafe try SecretBytes(copying: derived.span.bytes.extracting(first: 32)))
  }

  /// Whether two tags are the same, in a time that does not tell where they differ.
  static func isEqual(_ tag: some Sequence<UInt8>, _ expected: [UInt8]) -> Bool {
    zip(tag, expected).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }
}

/// Why a pairing failed.
public enum PairingFault: String, CaseIterable, Hashable, Sendable {
  /// A message of another length than it should have, or a share that is none.
  case malformed
  /// A message out of turn.
  case outOfOrder
  /// The other does not know the PIN, or an attacker is between the two.
  case wrongPIN
  /// The PIN is older than two minutes.
  case expired
  /// The PIN was guessed wrong five times, or has paired two nodes already.
  case usedUp
}

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
