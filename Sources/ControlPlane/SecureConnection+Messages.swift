internal import Mesh
internal import NIOCore

/// Messages that come.
extension SecureConnection {
  /// Stands still while nothing is read because of us.
  private var readingNanoseconds: Int64 {
    let now = Self.nowNanoseconds
    return now - pausedNanoseconds - (pausedSinceNanoseconds.map { now - $0 } ?? 0)
  }

  func take(_ octets: [UInt8]) {
    held.append(octets)
    giveNext()
    countHeld()
  }

  /// Takes messages out until one goes to Mesh, which handles it first, and gives the end after all of them.
  func giveNext() {
    do {
      while !isHandling, mayDecode, !held.isEmpty {
        guard let message = try held.next(&decoder, nowNanoseconds: readingNanoseconds)
        else { break }
        take(message)
      }
    } catch {
      fail(error)
    }
    guard !isHandling else { return }
    if phase == .over { return giveEnd() }
    armMessageTimer()
    resumeReading()
  }

  /// What came before the other end closed is still good.
  private var mayDecode: Bool {
    switch phase {
    case .proving, .open: true
    case .over: id != nil
    case .securing, .pairing, .closing: false
    }
  }

  private func take(_ message: Message) {
    switch (message, phase) {
    case (.challenge, .over), (.groupProof, .over): break
    case (.challenge(let challenge), _): take(challenge)
    case (.groupProof(let proof), _): take(proof)
    case (_, .proving): fail(.outOfTurn, "it sent a message before it proved its groups")
    default: give(message)
    }
  }

  private func give(_ message: Message) {
    guard let id else { return }
    isHandling = true
    exchange.events.give(.received(message, id)) { [self] in
      exchange.gate.run {
        self.isHandling = false
        self.giveNext()
        self.countHeld()
      }
    }
  }

  private func giveEnd() {
    guard let id, !isEndGiven else { return }
    isEndGiven = true
    exchange.events.give(.closed(id))
  }

  private func fail(_ error: MeshError) {
    let reason: ControlFault.Reason =
      switch error {
      case .oversized: .oversized
      case .slow: .slow
      case .truncated, .malformed, .version: .malformed
      }
    if case .version(let major, let minor) = error {
      // Short enough to be sent whole; a decline of any version has its words there.
      let words = "you speak protocol \(major).\(minor), this node \(MessageVersion.current)"
      write(.decline(Decline(words: "\(words): update the older")))
    }
    fail(reason, error.description)
  }

  private func checkMessageTime() {
    do {
      try decoder.check(nowNanoseconds: readingNanoseconds)
    } catch {
      return fail(error)
    }
    armMessageTimer()
  }

  /// Cuts a message that is begun and not finished.
  func armMessageTimer() {
    guard messageTimer == nil, pausedSinceNanoseconds == nil,
      let deadline = decoder.deadlineNanoseconds
    else { return }
    let wait = max(deadline - readingNanoseconds, 0)
    messageTimer = exchange.loop.scheduleTask(in: .nanoseconds(wait)) { [self] in
      messageTimer = nil
      guard phase == .open || phase == .proving, pausedSinceNanoseconds == nil else { return }
      checkMessageTime()
    }
  }
}
