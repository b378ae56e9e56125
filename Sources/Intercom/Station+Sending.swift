import Audio
import EventLoop
import Media

/// How little of the microphone a station has to look at.
enum CaptureRest {
  /// Each codec frame.
  case none
  /// The talk key is off, so that what is captured is silence: only what tells the others that nobody talks.
  case muted
  /// Nobody is there: nothing.
  case idle
}

/// The microphone's way out: each codec frame is encoded once, and sent to all.
extension Station {
  /// Captured while the talk key is off, so much wakes the loop: at 10 ms a packet a quarter of what else would, and
  /// a part of the 400 ms between two packets that say "nobody talks".
  private static let mutedMilliseconds = 40

  /// Rests while there is nobody to hear or to be heard by, and nobody records; and in part while the talk key is off.
  func followRest() {
    let before = rest
    let isUsed = test != nil || tap != nil || loopBack != nil || awaitsStream
    if listeners.isEmpty && !isUsed {
      rest = .idle
    } else {
      rest = isUsed || isTalking || talker.isTalking ? .none : .muted
    }
    guard rest != before else { return }
    switch before {
    case .none: break
    case .muted: passCaptured()
    case .idle: capture.discardAll()
    }
    followWakeThreshold()
  }

  /// Lets the audio thread wake the loop for each codec frame, if anybody is to have it.
  func followWakeThreshold() {
    let needed = capture.neededFrames(sampleRate: beat.sampleRate)
    switch rest {
    case .none: engine.setWakeThreshold(frames: needed)
    case .muted: engine.setWakeThreshold(frames: mutedFrames)
    case .idle: engine.setWakeThreshold(frames: .max)
    }
  }

  private var mutedFrames: Int {
    max(
      capture.neededFrames(sampleRate: beat.sampleRate),
      beat.sampleRate * Self.mutedMilliseconds / 1000)
  }

  /// What was captured with the talk key off, and not looked at, is history.
  private func passCaptured() {
    guard let passed = capture.fillNewestFrame() else { return }
    talker.pass(frames: passed + capture.framesPerPacket)
  }

  /// Opens or closes the mic gate, which ramps; closed, DTX falls silent by itself.
  func setTalk(_ isOn: Bool) {
    let isChange = isTalking != isOn
    isTalking = isOn
    followRest()
    engine.setTalking(isOn)
    if isChange { mixChanged(mix) }
  }

  /// Encodes every codec frame that is complete, once, and sends it to all listeners, in as many different packets as
  /// they have needs; false: there was nothing to send.
  ///
  /// What was captured while the station rested is history.
  func sendCaptured() -> Bool {
    guard !listeners.isEmpty, rest != .idle else {
      capture.discardAll()
      return false
    }
    if rest == .muted { return sendMuted() }
    var isSending = false
    while capture.fillFrame() {
      let holeFrames = capture.takeHoleFrames()
      if holeFrames > 0 { talker.pass(frames: holeFrames) }
      if sendFrame() { isSending = true }
    }
    return isSending
  }

  /// Not before so much was captured: what is sent has to be as fresh as ever, or it would tell the others of a delay.
  private func sendMuted() -> Bool {
    guard engine.captureAvailableFrames >= mutedFrames, let passed = capture.fillNewestFrame()
    else { return false }
    talker.pass(frames: passed)
    return sendFrame()
  }

  private func sendFrame() -> Bool {
    let frame = capture.frame
    guard talker.encode(frame.span) else { return false }
    for index in recipes.indices { sendFrame(recipes[index], to: index) }
    pace.finish(.sending, atNanoseconds: clock())
    return true
  }

  private func sendFrame(_ recipe: RepairRecipe, to recipeIndex: Int) {
    let slot = endpoint.makePacket { packet in
      makeMedia(recipeIndex, into: &packet) { talker.write(recipe, into: &$0) }
    }
    guard let slot else { return }
    let sentOctets = talker.payloadOctets(
      ofPacketBytes: slot.byteCount - MediaProtection.mediaOverhead)
    for listener in listeners where listener.recipeIndex == recipeIndex {
      endpoint.send(slot, to: listener.peer.address)
      listener.peer.sentPackets += 1
      listener.peer.sentOctets += sentOctets
    }
  }
}
