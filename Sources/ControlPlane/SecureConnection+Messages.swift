internal import Mesh
internal import NIOCore
internal import ServiceLoop

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
    case (_, .proving): fail(.outOfTurn, "it sent a message before its group proof")
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

/// What goes out, and how much of it may wait.
extension SecureConnection {
  /// Part of the longest stall after which is looked whether anything moved.
  private static let stallChecks: Int64 = 8

  func write(_ message: Message) { write(message.frame()) }

  /// - Parameter whenWritten: called on the event loop, when the kernel has it, or never will.
  func write(_ octets: [UInt8], whenWritten: (@Sendable (Bool) -> Void)? = nil) {
    let limit = exchange.configuration.limits.waitingBytes
    guard let context, phase != .closing, phase != .over, !octets.isEmpty else {
      whenWritten?(false)
      return
    }
    // A single message may be longer than what may wait.
    guard waitingBytes == 0 || waitingBytes + octets.count <= limit else {
      whenWritten?(false)
      return fail(.stalled, "it does not read: \(waitingBytes) bytes wait for it")
    }
    waitingBytes += octets.count
    let promise = exchange.loop.makePromise(of: Void.self)
    promise.futureResult.whenComplete { [self] result in
      waitingBytes -= octets.count
      writtenCount += 1
      whenWritten?((try? result.get()) != nil)
    }
    let buffer = context.channel.allocator.buffer(bytes: octets)
    context.writeAndFlush(wrapOutboundOut(buffer), promise: promise)
    watchStall(since: Self.nowNanoseconds, progress: progress)
  }

  /// Grows with what was written, message by message and within one.
  private var progress: [Int] {
    let options = channel?.syncOptions
    return [writtenCount, (try? options?.getOption(.bufferedWritableBytes)) ?? 0]
  }

  private func watchStall(since: Int64, progress seen: [Int]) {
    guard stallTimer == nil, waitingBytes > 0 else { return }
    let stall = exchange.configuration.times.stallNanoseconds
    stallTimer = exchange.loop.scheduleTask(in: .nanoseconds(stall / Self.stallChecks)) { [self] in
      stallTimer = nil
      guard phase != .over, waitingBytes > 0 else { return }
      let now = Self.nowNanoseconds
      let progress = progress
      if progress.first != seen.first || (progress.last ?? 0) < (seen.last ?? 0) {
        return watchStall(since: now, progress: progress)
      }
      guard now - since < stall else {
        return fail(.stalled, "it does not read: \(waitingBytes) bytes wait for it")
      }
      watchStall(since: since, progress: progress)
    }
  }
}
