internal import Mesh
internal import NIOCore
internal import NIOSSL

/// Ways to end.
extension SecureConnection {
  /// Something that must not be: the connection ends at once.
  func fail(_ reason: ControlFault.Reason, _ words: String) {
    guard phase != .over else { return }
    guard phase != .closing else { return cut() }
    end(
      ControlFault(
        reason, words, remote: remote, node: phase == .securing ? nil : peer, attempt: attempt,
        connection: id), keepsHeld: reason == .broken)
    cut()
  }

  /// We want it no more: what is under way is sent, and TLS's goodbye, within a bounded time.
  func close() {
    switch phase {
    case .open, .pairing:
      if phase == .pairing { endPairing(.connection(words: "it is closed")) }
      phase = .closing
      clearHeld()
      stopTimers()
      if let id { exchange.retire(id) }
      context?.close(promise: nil)
      resumeReading()
    case .securing, .proving: endSilently()
    case .closing, .over: break
    }
  }

  /// Nobody waits for it any more.
  func endSilently() {
    guard phase != .over else { return }
    if let attempt { _ = exchange.finish(attempt) }
    end(nil)
    cut()
  }

  /// Closes the socket now, past TLS.
  func cut() {
    guard let channel else { return }
    let pipeline = channel.pipeline.syncOperations
    if let secure = try? pipeline.context(handlerType: NIOSSLHandler.self) {
      secure.close(promise: nil)
    } else {
      channel.close(promise: nil)
    }
  }

  /// Tells whoever waits for it that it is over.
  ///
  /// - Parameter keepsHeld: whether messages that came are still good.
  func end(_ fault: ControlFault?, keepsHeld: Bool = true) {
    let last = phase
    guard last != .over else { return }
    phase = .over
    keepsHeld ? countHeld() : clearHeld()
    stopTimers()
    if let fault { exchange.events.note(fault) }
    exchange.release(self)
    switch last {
    case .securing, .proving: endAttempt(fault?.words ?? "attempt given up")
    case .open:
      if let id { exchange.retire(id) }
      giveNext()
    case .pairing: endPairing(.connection(words: fault?.words ?? "the other node closed it"))
    case .closing, .over: break
    }
  }

  private func endAttempt(_ words: String) {
    switch origin {
    case .dialled(let attempt):
      if exchange.finish(attempt) { exchange.events.give(.failed(attempt)) }
    case .accepted: break
    case .pairing(let answer): answer(.failure(.connection(words: words)))
    }
  }

  private func stopTimers() {
    deadline?.cancel()
    messageTimer?.cancel()
    stallTimer?.cancel()
    (deadline, messageTimer, stallTimer) = (nil, nil, nil)
  }
}
