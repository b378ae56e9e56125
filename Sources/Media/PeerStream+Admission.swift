/// What becomes of a packet that has come: it waits, plays though it is late, or was here already.
extension PeerStream {
  /// Gives a packet its place among those that wait, and counts it.
  func admit(_ entry: PacketBuffer.Entry, payload: RawSpan) {
    if nextFrame == 0 && buffer.waitingCount > 0 && !isPlaying && !source.isProvenFirst {
      buffer.lower(to: entry.sequence)
    }
    switch buffer.standing(of: entry.sequence) {
    case .duplicate:
      counts.duplicate += 1
      if buffer.isRepaired(entry.sequence) {
        counts.overtaken += 1
        noteArrival(entry, isHeard: true)
        buffer.replaceRepair(with: entry, payload: payload)
      }
    case .tooOld:
      counts.discarded.tooOld += 1
    case .late:
      observe(entry, isLate: true)
      noteArrival(entry, isHeard: false)
      buffer.markTaken(entry.sequence)
      counts.late += 1
      counts.lost -= 1
    case .ahead:
      let isBehind = isPlaying && !isClosing && entry.startFrame < nextFrame
      observe(entry, isLate: isBehind)
      if isBehind && !turnBack(to: entry) && !canJoin(entry) {
        if isInvented(entry) && nextFrame == entry.endFrame {
          playback.learn(payload, frames: entry.durationFrames)
        }
        leave(buffer.take(entry.sequence))
        counts.late += 1
        noteArrival(entry, isHeard: false)
        return
      }
      // One that sounds only in part tells the sender what one that came too late does.
      noteArrival(entry, isHeard: !isBehind || isTurnedBack)
      if entry.isNotice && !isPlaying && buffer.waitingCount == 0 {
        takeNotice(entry)
        isClosing = isClosing || isFilling
      } else {
        // Without room the oldest give way: nobody renders, and what waits is worth nothing.
        leave(buffer.pass(to: entry.sequence - Int64(buffer.slotCount) + 1))
        buffer.insert(entry, payload: payload)
      }
    }
  }

  /// Lets a packet whose time has passed play after all, when more delay is wanted anyway.
  private func turnBack(to entry: PacketBuffer.Entry) -> Bool {
    if let first = buffer.first, first.sequence < entry.sequence { return false }
    let lateness = MediaClock.nanoseconds(frames: nextFrame - entry.startFrame)
    let deficit = -controller.surplusNanoseconds(offset: offsetNanoseconds)
    let leastLateness = MediaClock.nanoseconds(frames: Int64(Playback.concealmentUnitFrames))
    guard controller.wantsMore(offset: offsetNanoseconds),
      lateness <= max(2 * deficit, leastLateness)
    else { return false }
    nextFrame = entry.startFrame
    offsetNanoseconds += lateness
    isTurnedBack = true
    return true
  }

  /// Whether a packet whose time has come can still sound for the rest of it.
  private func canJoin(_ entry: PacketBuffer.Entry) -> Bool {
    if let first = buffer.first, first.sequence < entry.sequence { return false }
    return isInvented(entry) && !entry.isNotice
      && nextFrame + Int64(Playback.concealmentUnitFrames) <= entry.endFrame
  }

  /// Whether what was played last stood for that packet, and the decoder can go back to before.
  func isInvented(_ entry: PacketBuffer.Entry) -> Bool {
    playback.isInventing && entry.startFrame == inventedFrame
      && entry.durationFrames == lastDurationFrames
  }

  private func observe(_ entry: PacketBuffer.Entry, isLate: Bool) {
    controller.pathNanoseconds = pathNanoseconds
    controller.observe(
      arrivalNanoseconds: entry.arrivalNanoseconds,
      mediaNanoseconds: MediaClock.nanoseconds(frames: entry.startFrame),
      durationNanoseconds: MediaClock.nanoseconds(frames: Int64(entry.durationFrames)),
      isLate: isLate)
    counts.jitterNanoseconds = controller.jitterNanoseconds
    counts.delaySteps = controller.stepCount
  }

  /// Takes "nobody talks" at its turn.
  func takeNotice(_ entry: PacketBuffer.Entry) {
    leave(buffer.take(entry.sequence))
    counts.notices += 1
    nextFrame = entry.endFrame
  }

  /// Counts sequence numbers left behind.
  func leave(_ passage: PacketBuffer.Passage) {
    counts.lost += passage.missed
    counts.discarded.skipped += passage.skipped
  }
}
