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
    guard countProof() else { return fail(.proofFlood, "it proves its groups again and again") }
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
