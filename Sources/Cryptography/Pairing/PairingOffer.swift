/// The side of a pairing that shows the PIN (sans-I/O): valid for two minutes, five tries and one success.
///
/// A try is a proof that is looked at: our share alone tells nothing about the PIN, so hellos cost none. Each wrong
/// proof costs one, whoever sent it, and after the fifth, or the first right one, the PIN is worth nothing. An attacker
/// thus has five guesses in a million for each PIN that somebody has shown; that anybody can use them up and so prevent
/// a pairing is the price. Several nodes may be under way at a time; of more than four the oldest is forgotten.
///
/// As for ``PairingInitiator``, the peer's key must come from a channel that has shown that the peer holds it.
public struct PairingOffer: ~Copyable {
  /// How long a PIN is good: 2 minutes.
  public static let lifetimeNanoseconds: Int64 = 120_000_000_000
  /// Wrong proofs that a PIN bears.
  public static let tryLimit = 5
  private static let runLimit = 4

  /// A node that got an answer and has not proved anything yet.
  private final class Run {
    let peer: PublicKey
    let party: PairingParty

    init(peer: PublicKey, party: consuming PairingParty) {
      self.peer = peer
      self.party = party
    }
  }

  /// What a right proof gives.
  public struct Success: ~Copyable {
    /// The last message, to be sent.
    public let confirmation: [UInt8]
    /// 32 octets that nobody but the two nodes knows.
    public let key: SecretBytes

    /// The secret, for whoever takes it over.
    public consuming func takeKey() -> SecretBytes { key }
  }

  /// The PIN to be shown.
  public let pin: PairingPIN

  private let own: PublicKey
  private let expiryNanoseconds: Int64
  private var runs: [Run] = []

  /// Wrong proofs that it bears still; 0 after a success.
  public private(set) var triesLeft = tryLimit

  /// Makes a PIN.
  ///
  /// - Parameters:
  ///   - own: this node's key.
  ///   - nowNanoseconds: of a clock that is never set.
  public init(own: PublicKey, nowNanoseconds: Int64) throws(CryptoError) {
    pin = try PairingPIN()
    self.own = own
    expiryNanoseconds = nowNanoseconds + Self.lifetimeNanoseconds
  }

  /// Whether somebody could still pair by this PIN.
  public func isOpen(nowNanoseconds: Int64) -> Bool {
    triesLeft > 0 && nowNanoseconds < expiryNanoseconds
  }

  /// Takes the hello of a node.
  ///
  /// - Returns: the answer, to be sent.
  public mutating func answer(
    hello: [UInt8], from peer: PublicKey, nowNanoseconds: Int64
  ) throws(CryptoError) -> [UInt8] {
    try checkOpen(nowNanoseconds)
    guard hello.count == PairingParty.nonceByteCount else { throw .pairing(.malformed) }
    let random = try SecretBytes(randomByteCount: PairingParty.nonceByteCount)
    let nonce = random.withBytes { nonce in unsafe nonce.withUnsafeBytes { unsafe Array($0) } }
    let party = try PairingParty(
      .responder, initiator: peer, responder: own, nonces: hello + nonce, pin: pin)
    let answer = nonce + party.share
    runs.removeAll { $0.peer == peer }
    if runs.count == Self.runLimit { runs.removeFirst() }
    runs.append(Run(peer: peer, party: party))
    return answer
  }

  /// Takes the proof of a node that got an answer; a wrong one costs a try.
  ///
  /// - Throws: `CryptoError.pairing`: `wrongPIN` where the other does not know the PIN.
  public mutating func check(
    proof: [UInt8], from peer: PublicKey, nowNanoseconds: Int64
  ) throws(CryptoError) -> Success {
    try checkOpen(nowNanoseconds)
    guard let place = runs.firstIndex(where: { $0.peer == peer }) else {
      throw .pairing(.outOfOrder)
    }
    // One proof for each answer, whatever is in it.
    let run = runs.remove(at: place)
    triesLeft -= 1
    guard proof.count == CPace.shareByteCount + Digest.sha512ByteCount else {
      throw .pairing(.malformed)
    }
    let outcome = try run.party.outcome(with: Array(proof.prefix(CPace.shareByteCount)))
    guard PairingParty.isEqual(proof.dropFirst(CPace.shareByteCount), outcome.expected) else {
      throw .pairing(.wrongPIN)
    }
    triesLeft = 0
    runs = []
    return Success(confirmation: outcome.confirmation, key: outcome.key)
  }

  private mutating func checkOpen(_ nowNanoseconds: Int64) throws(CryptoError) {
    guard nowNanoseconds < expiryNanoseconds else { throw .pairing(.expired) }
    guard triesLeft > 0 else { throw .pairing(.usedUp) }
  }
}
