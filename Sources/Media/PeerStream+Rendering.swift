extension PeerStream {
  /// Renders the next codec frame, when the peer's ring holds less than the coming period needs.
  ///
  /// May return fewer or more frames than a codec frame (splices), or several (when it catches up);
  /// call again while the ring holds too little and the result is not 0.
  /// - Parameters:
  ///   - pcm: room for `maximumRenderFrames`, mono, at `deviceRate`.
  ///   - dueNanoseconds: the last moment at which a packet could still come and be in this render.
  ///   - playoutNanoseconds: when the first rendered frame leaves at the ports: the coming beat,
  ///     and what the ring holds after it.
  /// - Returns: frames written; 0: a pause, nothing to play.
  public func render(
    into pcm: inout MutableSpan<Float>, dueNanoseconds due: Int64,
    playoutNanoseconds playout: Int64
  ) -> Int {
    precondition(pcm.count >= Self.maximumRenderFrames)
    controller.observe(leadNanoseconds: playout - due)
    followSide()
    chooseConversion()
    if !isPlaying && !isClosing {
      let frames = start(into: &pcm, playoutNanoseconds: playout)
      if frames > 0 { return frames }
    }
    var frames = 0
    repeat {
      frames = proceed(into: &pcm, dueNanoseconds: due, playoutNanoseconds: playout)
      if frames == 0 { return 0 }
      frames = convert(&pcm, frames: frames)
    } while frames == 0
    return frames
  }

  /// The next audio at 48 kHz; 0: a pause.
  private func proceed(
    into pcm: inout MutableSpan<Float>, dueNanoseconds due: Int64, playoutNanoseconds playout: Int64
  ) -> Int {
    playback.forgetSide()
    if isClosing { return close(into: &pcm) }
    if !isPlaying { return fill(into: &pcm) }
    return play(into: &pcm, dueNanoseconds: due, playoutNanoseconds: playout)
  }

  private func convert(_ pcm: inout MutableSpan<Float>, frames: Int) -> Int {
    let ratio = controller.ratio(offset: offsetNanoseconds)
    let converted = converter.convert(&pcm, frames: frames, ratio: ratio)
    if playback.hasSide {
      let (side, known) = (playback.side, playback.sideFrames)
      converter.convertSide(side.span.extracting(..<known), frames: frames)
    }
    return converted
  }

  /// Opens a second channel once packets have one, and closes it between two sounds once they have not.
  private func followSide() {
    guard playback.hasSide || takesSide && counts.channels == 2 else { return }
    playback.forgetSide()
    converter.forgetSide()
    if !playback.hasSide {
      takesSide = converter.openSide(after: playback.history.span) && playback.openSide()
      if !takesSide { converter.closeSide() }
    } else if counts.channels < 2 && !isSounding && !isClosing {
      playback.closeSide()
      converter.closeSide()
    }
  }

  /// Whether what is rendered is the mean of two channels.
  public var hasSide: Bool { playback.hasSide }

  /// Writes the side of what was rendered last, half of what the left has more than the right, to the whole of `pcm`.
  public func writeSide(into pcm: inout MutableSpan<Float>) {
    let known = min(converter.sideFrames, pcm.count)
    converter.writeSide(known, into: &pcm)
    for index in known..<pcm.count { pcm[index] = 0 }
  }

  /// Whether the clocks differ enough to need resampling.
  private var needsConversion: Bool {
    controller.clocks.isSliding || deviceRate != MediaClock.framesPerSecond
  }

  /// Latency of the resampler, if it runs or should.
  var pathNanoseconds: Int64 {
    let isConverting = needsConversion || converter.isEngaged && isPlaying
    return isConverting ? converter.latencyNanoseconds : 0
  }

  /// Engages the resampler once the playout delay has room for its latency.
  ///
  /// It is left again at the next start of sound.
  private func chooseConversion() {
    if needsConversion, !converter.isEngaged, isPlaying, !isClosing,
      controller.hasRoom(offset: offsetNanoseconds)
    {
      converter.engage(after: playback.history.span, side: playback.sideHistory.span)
    }
    controller.isSteered =
      converter.isEngaged && isPlaying
      && (controller.clocks.isSliding || controller.clocks.isLocked)
  }

  /// Begins to play if the coming period holds the start; the silence or noise up to it is returned.
  private func start(into pcm: inout MutableSpan<Float>, playoutNanoseconds playout: Int64) -> Int {
    shortenPatience(byNanoseconds: .max)
    while let first = buffer.first {
      if first.isNotice {
        takeNotice(first)
        isClosing = isFilling
        if isClosing { return 0 }
        continue
      }
      let planned =
        MediaClock.nanoseconds(frames: first.startFrame) + controller.targetNanoseconds
      let duration = MediaClock.nanoseconds(frames: Int64(first.durationFrames))
      if planned + duration <= playout && buffer.waitingCount > 1 {
        skip(first)
        continue
      }
      guard planned < playout + max(1, grid?.periodNanoseconds ?? 1) else { return 0 }
      isPlaying = true
      isTurnedBack = false
      nextFrame = first.startFrame
      counts.starts += 1
      controller.settle()
      playback.open(afterGap: isFilling)
      let wait = Double(max(0, planned - playout)) * 1e-9
      if isFilling {
        isFilling = false
        return continueFilling(seconds: wait, into: &pcm)
      }
      converter.start(isEngaged: needsConversion)
      let lead = min(Int(wait * Double(deviceRate)), pcm.count)
      var silence = pcm._mutatingExtracting(0..<lead)
      return Playback.writeSilence(into: &silence)
    }
    return 0
  }

  /// The noise of a gap goes on until sound begins, through the same resampler.
  private func continueFilling(seconds: Double, into pcm: inout MutableSpan<Float>) -> Int {
    let lead = min(Int(seconds * Double(MediaClock.framesPerSecond)), Self.maximumCodedFrames)
    return convert(&pcm, frames: playback.fill(lead, into: &pcm))
  }

  /// Comfort noise in a gap too long for concealment, in short pieces, so that no packet waits
  /// for its end.
  private func fill(into pcm: inout MutableSpan<Float>) -> Int {
    guard isFilling else { return 0 }
    let frames = playback.fill(Playback.concealmentUnitFrames, into: &pcm)
    isFilling = frames > 0
    return frames
  }

  private func play(
    into pcm: inout MutableSpan<Float>, dueNanoseconds due: Int64, playoutNanoseconds playout: Int64
  ) -> Int {
    offsetNanoseconds =
      playout - MediaClock.nanoseconds(frames: nextFrame) + heldNanoseconds
    let correction = controller.correction(offset: offsetNanoseconds, nowNanoseconds: due)
    if case .jump(let frames) = correction { return jump(frames, into: &pcm) }
    guard let first = buffer.first else { return conceal(gapFrames: nil, into: &pcm) }
    let gapFrames = first.startFrame - nextFrame
    if gapFrames > 0 {
      let isPause = first.sequence == buffer.nextSequence
      return isPause ? close(into: &pcm) : bridge(gapFrames, before: first, into: &pcm)
    }
    if first.isNotice {
      takeNotice(first)
      return close(into: &pcm)
    }
    decode(first, due: due, playout: playout)
    if case .splice(let frames, let urgency) = correction {
      if !playback.isSplicing { gather(wantedFrames: frames, due: due, playout: playout) }
      let splicedFrames = playback.splice(wantedFrames: frames, urgency: urgency)
      if splicedFrames < 0 { counts.removals += 1 }
      if splicedFrames > 0 { counts.insertions += 1 }
    }
    if case .trim(let frames) = correction { trim(frames, due: due, playout: playout) }
    return playback.emit(into: &pcm)
  }

  /// What was decoded and is in no ring yet.
  private var heldNanoseconds: Int64 {
    converter.heldNanoseconds + MediaClock.nanoseconds(frames: Int64(playback.heldFrames))
  }

  private func decode(_ entry: PacketBuffer.Entry, due: Int64, playout: Int64) {
    let passed = isInvented(entry) ? Int(max(0, nextFrame - entry.startFrame)) : nil
    let passedNanoseconds = MediaClock.nanoseconds(frames: Int64(passed ?? 0))
    measure(entry, due: due - passedNanoseconds, playout: playout - passedNanoseconds)
    let wasConcealing = playback.concealedRunFrames > 0
    let isDecoded = playback.decode(
      buffer.payload(of: entry), frames: entry.durationFrames, isTurnedBackTo: isTurnedBack,
      passed: passed)
    isTurnedBack = false
    if !isDecoded {
      counts.decoderErrors += 1
      countConcealment(
        frames: entry.durationFrames - (passed ?? 0), isContinued: wasConcealing)
    }
    leave(buffer.take(entry.sequence))
    counts.played += 1
    nextFrame = entry.endFrame
    lastDurationFrames = entry.durationFrames
  }

  /// Decodes ahead what is there already, so that a large surplus can be taken out in whole pitch
  /// periods: up to 20 ms, from codec frames of at most 10.
  private func gather(wantedFrames: Int, due: Int64, playout: Int64) {
    while -wantedFrames >= lastDurationFrames, lastDurationFrames <= 480,
      playback.pendingFrames < 2 * Splicer.maximumLagFrames,
      let next = buffer.first, next.sequence == buffer.nextSequence,
      next.startFrame == nextFrame, next.durationFrames <= 480, !next.isNotice
    {
      decode(next, due: due, playout: playout)
    }
  }

  /// Removes unneeded delay in quiet passages.
  private func trim(_ frames: Int, due: Int64, playout: Int64) {
    guard playback.isQuiet, !playback.isSplicing else { return }
    gather(wantedFrames: -frames, due: due, playout: playout)
    let splicedFrames = playback.splice(wantedFrames: -frames, urgency: Splicer.onlyInSilence)
    guard splicedFrames < 0 else { return }
    counts.removals += 1
    shortenPatience(byNanoseconds: MediaClock.nanoseconds(frames: Int64(-splicedFrames)))
  }

  func conceal(gapFrames: Int64?, into pcm: inout MutableSpan<Float>) -> Int {
    let left = Playback.concealmentLimitFrames - playback.concealedRunFrames
    guard left > 0 else {
      isPlaying = false
      isFilling = true
      return fill(into: &pcm)
    }
    // While nothing waits, little at once: the packet may come meanwhile, and be turned back to or joined.
    let unit = Playback.concealmentUnitFrames
    let isBrief = gapFrames == nil && invent()
    let patience = isBrief || controller.wantsMore(offset: offsetNanoseconds) ? unit : 480
    let wanted = min(lastDurationFrames, gapFrames.map { Int(min($0, 5760)) } ?? patience, left)
    let frames = (wanted + unit - 1) / unit * unit
    countConcealment(frames: frames, isContinued: playback.concealedRunFrames > 0)
    playback.conceal(frames: frames)
    nextFrame += Int64(wanted)
    return playback.emit(into: &pcm)
  }

  /// Conceals the next packet so that the packet itself can still join; false: it cannot.
  private func invent() -> Bool {
    if playback.isInventing && nextFrame < inventedFrame + Int64(lastDurationFrames) { return true }
    let left = Playback.concealmentLimitFrames - playback.concealedRunFrames
    guard lastDurationFrames <= left, playback.beginInvention(frames: lastDurationFrames) else {
      return false
    }
    inventedFrame = nextFrame
    return true
  }

  private func countConcealment(frames: Int, isContinued: Bool) {
    counts.concealedFrames += frames
    counts.concealedPackets += Double(frames) / Double(max(lastDurationFrames, 1))
    if !isContinued { counts.concealmentEvents += 1 }
  }

  /// Stops playing; more audio is a new start.
  private func close(into pcm: inout MutableSpan<Float>) -> Int {
    isClosing = false
    isPlaying = false
    isFilling = false
    let frames = playback.close(into: &pcm)
    guard converter.isEngaged else { return frames }
    var flush = pcm._mutatingExtracting(frames..<(frames + RateConverter.flushFrames))
    return frames + Playback.writeSilence(into: &flush)
  }

  /// Leaves out `frames` and what the fade-out lasts, then goes on, faded in.
  private func jump(_ frames: Int, into pcm: inout MutableSpan<Float>) -> Int {
    counts.jumps += 1
    isTurnedBack = false
    nextFrame += Int64(frames + ClosingFade.frames)
    while let first = buffer.first, first.startFrame < nextFrame { skip(first) }
    if let first = buffer.first, first.startFrame - nextFrame < Int64(first.durationFrames) {
      nextFrame = first.startFrame
    }
    controller.settle()
    return playback.close(into: &pcm)
  }

  private func skip(_ entry: PacketBuffer.Entry) {
    leave(buffer.take(entry.sequence))
    counts.discarded.skipped += 1
  }

  private func measure(_ entry: PacketBuffer.Entry, due: Int64, playout: Int64) {
    let ahead =
      MediaClock.nanoseconds(frames: Int64(playback.pendingFrames)) + heldNanoseconds
    let delay = playout + ahead - entry.arrivalNanoseconds
    let slack = due - entry.arrivalNanoseconds
    let isFirst = counts.played == 0
    counts.playoutDelayNanoseconds +=
      (delay - counts.playoutDelayNanoseconds) / (isFirst ? 1 : 64)
    counts.slackNanoseconds += (slack - counts.slackNanoseconds) / (isFirst ? 1 : 64)
    let more = slack - usualSlackNanoseconds
    usualSlackNanoseconds += more / (more < 0 ? 4 : 64)
  }
}
