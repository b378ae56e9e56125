internal import Cryptography
internal import Mesh

/// The proof of groups on one connection, both ways (MESSAGES.md, "The proof of groups"); sans-I/O.
struct GroupProver {
  private static let windowNanoseconds: Int64 = 10_000_000_000

  private let own: NodeID
  private let peer: NodeID
  private let ownNonce: [UInt8]
  /// Most proofs of the other end within the window.
  private let mostProofs: Int
  private var peerNonce: [UInt8]?
  private var peerProof: GroupProof?
  private var proofCount = 0
  private var windowBeganNanoseconds: Int64 = 0
  /// Our proof that the other end has.
  private var sentProof: GroupProof?

  /// Whether the other end proved one of our groups, as judged last.
  private(set) var isProved = false

  /// Begins with a new nonce.
  init(own: NodeID, peer: NodeID, mostProofs: Int) throws(CryptoError) {
    self.own = own
    self.peer = peer
    self.mostProofs = mostProofs
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

  /// Takes the other's proof, which takes the place of an earlier one; false where they come too often.
  mutating func take(_ proof: GroupProof, nowNanoseconds now: Int64) -> Bool {
    if now - windowBeganNanoseconds > Self.windowNanoseconds {
      (windowBeganNanoseconds, proofCount) = (now, 0)
    }
    proofCount += 1
    guard proofCount <= mostProofs else { return false }
    peerProof = proof
    return true
  }

  /// Our proof of these groups; nil before the other's challenge, and where the other end has it.
  mutating func nextProof(of groups: [Group]) -> GroupProof? {
    guard let peerNonce else { return nil }
    let proof = GroupProof(
      codes: groups.prefix(GroupProof.maximumCodes).map {
        $0.proof(prover: own, verifier: peer, proverNonce: ownNonce, verifierNonce: peerNonce)
      })
    guard proof != sentProof else { return nil }
    sentProof = proof
    return proof
  }

  /// Judges the other's last proof by these groups of ours.
  ///
  /// Takes as long whichever code fits; how many there are is no secret between the two.
  /// - Returns: whether the judgement is another than before.
  mutating func judge(by groups: [Group]) -> Bool {
    let before = isProved
    isProved = false
    guard let peerNonce, let peerProof else { return isProved != before }
    for group in groups.prefix(GroupProof.maximumCodes) {
      let expected = group.proof(
        prover: peer, verifier: own, proverNonce: peerNonce, verifierNonce: ownNonce)
      for code in peerProof.codes where Group.isSame(code, expected) { isProved = true }
    }
    return isProved != before
  }
}
