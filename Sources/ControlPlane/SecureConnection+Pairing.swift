internal import NIOCore

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
      return body(.failure(.connection(words: "somebody else waits already")))
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
