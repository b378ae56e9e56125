/// The side of a pairing on which a person types the PIN (sans-I/O).
///
/// Messages: a hello of 16 random octets; the answer of 16 random octets and the other's share; the proof, which is our
/// share and tag; the confirmation, which is the other's tag. States: waiting for the answer, waiting for the
/// confirmation, over. Whatever goes wrong ends it: a new try takes a new value, and the PIN to be typed again. An
/// attacker in the other's place learns from the proof whether one guess of the PIN was right, and nothing more.
///
/// The keys of both nodes must come from the channel that carries the messages, which has to have shown that each holds
/// its private key (TLS with both identities): the pairing then proves that this channel ends at whoever knows the PIN.
public struct PairingInitiator: ~Copyable {
  private enum State {
    case greeting, proving, over
  }

  /// The first message.
  public let hello: [UInt8]

  private let own: PublicKey
  private let peer: PublicKey
  private let pin: PairingPIN
  private var state = State.greeting
  private var expected: [UInt8] = []
  private var key: SecretBytes?

  /// A try with a PIN that was typed.
  ///
  /// - Parameters:
  ///   - own: this node's key.
  ///   - peer: the key of the node at the channel's other end.
  public init(
    own: PublicKey, peer: PublicKey, pin: consuming PairingPIN
  ) throws(CryptoError) {
    self.own = own
    self.peer = peer
    self.pin = pin
    let nonce = try SecretBytes(randomByteCount: PairingParty.nonceByteCount)
    hello = nonce.withBytes { nonce in unsafe nonce.withUnsafeBytes { unsafe Array($0) } }
  }

  /// Takes the answer.
  ///
  /// - Returns: the proof, to be sent.
  public mutating func receive(answer: [UInt8]) throws(CryptoError) -> [UInt8] {
    guard state == .greeting else { throw .pairing(.outOfOrder) }
    state = .over
    guard answer.count == PairingParty.nonceByteCount + CPace.shareByteCount else {
      throw .pairing(.malformed)
    }
    let party = try PairingParty(
      .initiator, initiator: own, responder: peer,
      nonces: hello + answer.prefix(PairingParty.nonceByteCount), pin: pin)
    let outcome = try party.outcome(with: Array(answer.dropFirst(PairingParty.nonceByteCount)))
    expected = outcome.expected
    let proof = party.share + outcome.confirmation
    key = consume outcome.key
    state = .proving
    return proof
  }

  /// Takes the confirmation.
  ///
  /// - Returns: 32 octets that nobody but the two nodes knows; the peer may be pinned now.
  /// - Throws: `CryptoError.pairing`: `wrongPIN` where the other does not know the PIN.
  public mutating func receive(confirmation: [UInt8]) throws(CryptoError) -> SecretBytes {
    guard state == .proving, let key = key.take() else { throw .pairing(.outOfOrder) }
    state = .over
    guard confirmation.count == expected.count else { throw .pairing(.malformed) }
    guard PairingParty.isEqual(confirmation, expected) else { throw .pairing(.wrongPIN) }
    return key
  }
}
