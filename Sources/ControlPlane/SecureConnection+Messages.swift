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
    var messages: [Message] = []
    var failure: MeshError?
    do {
      try decoder.receive(octets, nowNanoseconds: readingNanoseconds) { message in
        messages.append(message)
        return true
      }
    } catch {
      failure = error
    }
    for message in messages { take(message) }
    if let failure { return fail(failure) }
    armMessageTimer()
    giveNext()
  }

  private func take(_ message: Message) {
    switch (message, phase) {
    case (.challenge(let challenge), .proving), (.challenge(let challenge), .open):
      take(challenge)
    case (.groupProof(let proof), .proving), (.groupProof(let proof), .open): take(proof)
    case (_, .open): inbox.append(message)
    case (_, .proving): fail(.outOfTurn, "it sent a message before it proved its groups")
    default: break
    }
  }

  private func fail(_ error: MeshError) {
    let reason: ControlFault.Reason =
      switch error {
      case .oversized: .oversized
      case .slow: .slow
      case .truncated, .malformed, .version: .malformed
      }
    fail(reason, error.description)
  }

  /// Gives Mesh the next message when it has handled the last one, and after all of them the end.
  func giveNext() {
    guard let id, !isHandling, !isEndGiven else { return }
    switch phase {
    case .open, .over:
      if !inbox.isEmpty {
        isHandling = true
        exchange.events.give(.received(inbox.removeFirst(), id)) { [self] in
          exchange.gate.run {
            self.isHandling = false
            self.giveNext()
          }
        }
      } else if phase == .over {
        isEndGiven = true
        exchange.events.give(.closed(id))
      } else {
        resumeReading()
      }
    case .securing, .proving, .pairing, .closing: break
    }
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
