internal import Cryptography
internal import Mesh
internal import NIOCore

/// The proof of groups.
extension SecureConnection {
  private static let proofWindowNanoseconds: Int64 = 10_000_000_000

  func beginProof(with peer: NodeID) {
    phase = .proving
    do {
      let prover = try GroupProver(own: exchange.own, peer: peer)
      self.prover = prover
      write(.challenge(prover.challenge))
    } catch {
      fail(.system, "\(error)")
    }
  }

  /// Takes the other's challenge and answers it.
  func take(_ challenge: Challenge) {
    guard prover?.take(challenge) == true else {
      return fail(.outOfTurn, "it sent a second challenge")
    }
    send(exchange.groups())
    openIfProved()
  }

  /// Takes the other's first proof, or one of its groups as they are now.
  func take(_ proof: GroupProof) {
    guard countProof() else { return fail(.proofFlood, "it repeats its group proofs too often") }
    prover?.take(proof)
    guard phase == .open else { return openIfProved() }
    if judge(exchange.groups()) { exchange.reportProving() }
  }

  private func countProof() -> Bool {
    let now = Self.nowNanoseconds
    if now - proofsSinceNanoseconds > Self.proofWindowNanoseconds {
      (proofsSinceNanoseconds, proofCount) = (now, 0)
    }
    proofCount += 1
    return proofCount <= exchange.configuration.limits.proofs
  }

  private func openIfProved() {
    guard phase == .proving, let prover, prover.isComplete, let peer else { return }
    deadline?.cancel()
    provesGroup = prover.isProved(inOneOf: exchange.groups())
    guard let id = exchange.open(self, node: peer, provesGroup: provesGroup) else {
      return endSilently()
    }
    self.id = id
    phase = .open
  }

  /// Proves, and judges, by other groups than before.
  func proveAnew(_ groups: [Group]) {
    guard phase == .open || phase == .proving else { return }
    send(groups)
    if phase == .open { _ = judge(groups) }
  }

  /// Sends our proof, unless it is the one that the other end has.
  private func send(_ groups: [Group]) {
    guard let proof = prover?.proof(of: groups), proof != lastProof else { return }
    lastProof = proof
    write(.groupProof(proof))
  }

  /// Whether the judgement is another than before.
  private func judge(_ groups: [Group]) -> Bool {
    let before = provesGroup
    provesGroup = prover?.isProved(inOneOf: groups) ?? false
    return provesGroup != before
  }
}

/// Pairing connections: frames that somebody asks for one by one.
extension SecureConnection {
  func beginPairing() {
    deadline?.cancel()
    guard let channel = PairingChannel(self) else { return }
    switch origin {
    case .dialled: fail(.wrongPurpose, "it wants to pair")
    case .pairing(let answer):
      phase = .pairing
      answer(.success(channel))
    case .accepted:
      guard exchange.beginPairing(of: host) else {
        return fail(.pairingBusy, "too many nodes want to pair at once")
      }
      phase = .pairing
      pairing.hasPlace = true
      exchange.release(self)
      exchange.events.pair(channel)
    }
  }

  func takePairing(_ octets: [UInt8]) {
    do {
      try pairing.cutter.append(octets)
    } catch {
      return fail(.oversized, error.description)
    }
    answerPairing()
  }

  /// Gives the next frame to `body`, or why there is none, once.
  func takeFrame(_ body: @escaping @Sendable (Result<[UInt8], ControlPlaneError>) -> Void) {
    guard pairing.waiting == nil else {
      return body(.failure(.connection(words: "another pairing is already waiting")))
    }
    pairing.waiting = body
    answerPairing()
    guard pairing.waiting != nil else { return }
    let wait = exchange.configuration.times.pairingNanoseconds
    pairing.timer = exchange.loop.scheduleTask(in: .nanoseconds(wait)) { [self] in
      answerPairing(with: .failure(.late(seconds: Int(wait / 1_000_000_000))))
      close()
    }
  }

  func sendFrame(
    _ octets: [UInt8], _ body: @escaping @Sendable (Result<Void, ControlPlaneError>) -> Void
  ) {
    guard phase == .pairing else {
      return body(.failure(pairing.end ?? .connection(words: "it is closed")))
    }
    write(PairingFrames.frame(octets)) { [self] isWritten in
      body(
        isWritten
          ? .success(()) : .failure(pairing.end ?? .connection(words: "it broke")))
    }
  }

  private func answerPairing() {
    guard pairing.waiting != nil else { return }
    do {
      if let frame = try pairing.cutter.next() {
        answerPairing(with: .success(frame))
      } else if let end = pairing.end {
        answerPairing(with: .failure(end))
      }
    } catch {
      answerPairing(with: .failure(error))
      fail(.oversized, error.description)
    }
    resumeReading()
  }

  private func answerPairing(with result: Result<[UInt8], ControlPlaneError>) {
    pairing.timer?.cancel()
    pairing.timer = nil
    let waiting = pairing.waiting
    pairing.waiting = nil
    waiting?(result)
  }

  func endPairing(_ error: ControlPlaneError) {
    pairing.end = pairing.end ?? error
    if pairing.hasPlace { exchange.endPairing(of: host) }
    pairing.hasPlace = false
    answerPairing()
  }
}

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
