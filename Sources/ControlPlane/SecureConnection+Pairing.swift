internal import NIOCore

/// Pairing connections: frames that somebody asks for one by one.
extension SecureConnection {
  func takePairing(_ octets: [UInt8]) {
    do {
      try pairing.append(octets)
    } catch {
      return fail(.oversized, error.description)
    }
    answerPairing()
  }

  /// Gives the next frame to `body`, or why there is none, once.
  func takeFrame(_ body: @escaping PairingLine.Answer) {
    guard pairing.wait(with: body) else {
      return body(.failure(.connection(words: "another pairing is already waiting")))
    }
    answerPairing()
    guard pairing.isAwaited else { return }
    let wait = exchange.configuration.times.pairingNanoseconds
    pairing.setTimer(on: exchange.loop, nanoseconds: wait) { [self] in
      pairing.answer(with: .failure(.late(seconds: Int(wait / 1_000_000_000))))
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
      body(isWritten ? .success(()) : .failure(pairing.end ?? .connection(words: "it broke")))
    }
  }

  func endPairing(_ error: ControlPlaneError) {
    pairing.end(error)
    if pairing.leavePlace() { exchange.endPairing(of: host) }
    answerPairing()
  }

  private func answerPairing() {
    guard pairing.isAwaited else { return }
    do {
      try pairing.answerIfPossible()
    } catch {
      fail(.oversized, error.description)
    }
    resumeReading()
  }
}
