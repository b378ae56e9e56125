extension PeerStream {
  /// Renders the next codec frame, when the peer's ring holds less than the coming period needs.
  ///
  /// May give fewer or more frames than a codec frame (splices), or several (when it catches up);
  /// call again while the ring holds too little and the result is not 0.
  /// - Parameters:
  ///   - pcm: room for `maximumRenderFrames`, mono, 48 kHz.
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
    if isClosing { return close(into: &pcm) }
    if !isPlaying {
      let silentFrames = start(into: &pcm, playoutNanoseconds: playout)
      if silentFrames > 0 { return silentFrames }
      if !isPlaying { return fill(into: &pcm) }
    }
    return play(into: &pcm, dueNanoseconds: due, playoutNanoseconds: playout)
  }

  /// Begins to play if the coming period holds the start; the silence up to it is returned.
  private func start(into pcm: inout MutableSpan<Float>, playoutNanoseconds playout: Int64) -> Int {
    shortenPatience(byNanoseconds: .max)
    while let first = buffer.first {
      if first.isNotice {
        takeNotice(first)
        if isFilling { return close(into: &pcm) }
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
      let lead = min(
        Int(MediaClock.frames(nanoseconds: max(0, planned - playout))), pcm.count)
      if isFilling {
        isFilling = false
        let filledFrames = playback.fill(lead, into: &pcm)
        if filledFrames > 0 { return filledFrames }
      }
      var silence = pcm._mutatingExtracting(0..<lead)
      return Playback.writeSilence(into: &silence)
    }
    return 0
  }

  /// Comfort noise in a gap too long to be concealed; little at once, as what comes is not to wait
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
    offsetNanoseconds = playout - MediaClock.nanoseconds(frames: nextFrame)
    let correction = controller.correction(offset: offsetNanoseconds, nowNanoseconds: due)
    if case .jump(let frames) = correction { return jump(frames, into: &pcm) }
    guard let first = buffer.first else { return conceal(gapFrames: nil, into: &pcm) }
    let gapFrames = first.startFrame - nextFrame
    if gapFrames > 0 {
      let isPause = first.sequence == buffer.nextSequence
      return isPause ? close(into: &pcm) : conceal(gapFrames: gapFrames, into: &pcm)
    }
    if first.isNotice {
      takeNotice(first)
      return close(into: &pcm)
    }
    decode(first, due: due, playout: playout)
    if case .splice(let frames, let urgency) = correction {
      gather(wantedFrames: frames, due: due, playout: playout)
      let splicedFrames = playback.splice(wantedFrames: frames, urgency: urgency)
      if splicedFrames < 0 { counts.removals += 1 }
      if splicedFrames > 0 { counts.insertions += 1 }
    }
    if case .trim(let frames) = correction { trim(frames, due: due, playout: playout) }
    return playback.emit(into: &pcm)
  }

  private func decode(_ entry: PacketBuffer.Entry, due: Int64, playout: Int64) {
    measure(entry, due: due, playout: playout)
    let wasConcealing = playback.concealedRunFrames > 0
    let isDecoded = playback.decode(
      buffer.payload(of: entry), frames: entry.durationFrames, isTurnedBackTo: isTurnedBack)
    isTurnedBack = false
    if !isDecoded {
      counts.decoderErrors += 1
      countConcealment(frames: entry.durationFrames, isContinued: wasConcealing)
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

  /// Takes out delay that nobody needs, if it is quiet.
  private func trim(_ frames: Int, due: Int64, playout: Int64) {
    guard playback.isQuiet else { return }
    gather(wantedFrames: -frames, due: due, playout: playout)
    let splicedFrames = playback.splice(wantedFrames: -frames, urgency: Splicer.onlyInSilence)
    guard splicedFrames < 0 else { return }
    counts.removals += 1
    shortenPatience(byNanoseconds: MediaClock.nanoseconds(frames: Int64(-splicedFrames)))
  }

  private func conceal(gapFrames: Int64?, into pcm: inout MutableSpan<Float>) -> Int {
    let left = Playback.concealmentLimitFrames - playback.concealedRunFrames
    guard left > 0 else {
      isPlaying = false
      isFilling = true
      return fill(into: &pcm)
    }
    // While nothing waits, little at once: the packet may come meanwhile, and be turned back to.
    let unit = Playback.concealmentUnitFrames
    let patience = controller.wantsMore(offset: offsetNanoseconds) ? unit : 480
    let wanted = min(lastDurationFrames, gapFrames.map { Int(min($0, 5760)) } ?? patience, left)
    let frames = (wanted + unit - 1) / unit * unit
    countConcealment(frames: frames, isContinued: playback.concealedRunFrames > 0)
    playback.conceal(frames: frames)
    nextFrame += Int64(wanted)
    return playback.emit(into: &pcm)
  }

  private func countConcealment(frames: Int, isContinued: Bool) {
    counts.concealedFrames += frames
    counts.concealedPackets += Double(frames) / Double(max(lastDurationFrames, 1))
    if !isContinued { counts.concealmentEvents += 1 }
  }

  /// Ends the sound; more of it is a new start.
  private func close(into pcm: inout MutableSpan<Float>) -> Int {
    isClosing = false
    isPlaying = false
    isFilling = false
    return playback.close(into: &pcm)
  }

  /// Leaves out `frames` and what the fade-out lasts, then goes on, faded in.
  private func jump(_ frames: Int, into pcm: inout MutableSpan<Float>) -> Int {
    counts.jumps += 1
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
    let ahead = MediaClock.nanoseconds(frames: Int64(playback.pendingFrames))
    let delay = playout + ahead - entry.arrivalNanoseconds
    let slack = due - entry.arrivalNanoseconds
    let isFirst = counts.played == 0
    counts.playoutDelayNanoseconds +=
      (delay - counts.playoutDelayNanoseconds) / (isFirst ? 1 : 64)
    counts.slackNanoseconds += (slack - counts.slackNanoseconds) / (isFirst ? 1 : 64)
  }
}
