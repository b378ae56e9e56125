internal import Cryptography
internal import Mesh

/// The proof of groups on one connection, both ways (MESSAGES.md, "The proof of groups"); sans-I/O.
struct GroupProver {
  private let own: NodeID
  private let peer: NodeID
  private let ownNonce: [UInt8]
  private var peerNonce: [UInt8]?
  private var peerProof: GroupProof?

  /// Begins with a new nonce.
  init(own: NodeID, peer: NodeID) throws(CryptoError) {
    self.own = own
    self.peer = peer
    ownNonce = try Group.nonce()
  }

  /// What to send at once.
  var challenge: Challenge { Challenge(nonce: ownNonce) }

  /// Whether both came from the other end that it has to send.
  var isComplete: Bool { peerNonce != nil && peerProof != nil }

  /// Takes the other's challenge; false for a second one.
  mutating func take(_ challenge: Challenge) -> Bool {
    guard peerNonce == nil else { return false }
    peerNonce = challenge.nonce
    return true
  }

  /// Takes the other's proof, which takes the place of an earlier one.
  mutating func take(_ proof: GroupProof) { peerProof = proof }

  /// Our proof of these groups; nil before the other's challenge.
  func proof(of groups: [Group]) -> GroupProof? {
    guard let peerNonce else { return nil }
    return GroupProof(
      codes: groups.prefix(GroupProof.maximumCodes).map {
        $0.proof(prover: own, verifier: peer, proverNonce: ownNonce, verifierNonce: peerNonce)
      })
  }

  /// Whether the other's last proof shows that it is in one of these groups.
  ///
  /// Takes as long whichever code fits; how many there are is no secret between the two.
  func isProved(inOneOf groups: [Group]) -> Bool {
    guard let peerNonce, let peerProof else { return false }
    var isProved = false
    for group in groups.prefix(GroupProof.maximumCodes) {
      let expected = group.proof(
        prover: peer, verifier: own, proverNonce: peerNonce, verifierNonce: ownNonce)
      for code in peerProof.codes where Group.isSame(code, expected) { isProved = true }
    }
    return isProved
  }
}
