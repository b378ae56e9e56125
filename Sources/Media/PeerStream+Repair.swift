public import RTP

/// Copies and RTX packets replace lost ones, as if these had arrived late but in time.
///
/// They carry no information on the link's delay, so playout control ignores them.
extension PeerStream {
  /// Takes a packet of this peer that carries copies of earlier ones (RFC 2198).
  ///
  /// - Parameters:
  ///   - packet: parsed from `bytes`.
  ///   - redundant: parsed from its payload; payload types checked but those of the copies, of which
  ///     others than the primary's are passed over.
  ///   - bytes: the datagram.
  ///   - isForUs: else it says no more than that nobody talks to us.
  ///   - arrivalNanoseconds: when it came, CLOCK_MONOTONIC.
  public func receive(
    _ packet: RTPPacket, redundant: RedundantPayload, bytes: RawSpan, isForUs: Bool = true,
    arrivalNanoseconds: Int64
  ) {
    counts.receivedOctets += packet.payload.count - redundant.primary.count
    receive(
      packet.header, payload: bytes.extracting(redundant.primary), isForUs: isForUs,
      arrivalNanoseconds: arrivalNanoseconds)
    guard isForUs else { return }
    redundant.forEachCopy(in: bytes) { copy in
      guard copy.payloadType == redundant.primaryPayloadType else { return }
      receive(
        copy, payload: bytes.extracting(copy.payload), of: packet.header,
        arrivalNanoseconds: arrivalNanoseconds)
    }
  }

  /// Takes an RTX packet of this peer (RFC 4588), its payload type and SSRC checked.
  public func receiveResent(_ packet: RTPPacket, bytes: RawSpan, arrivalNanoseconds: Int64) {
    counts.resent += 1
    counts.receivedOctets += packet.payload.count
    guard let (sequenceNumber, range) = RTXPayload.parse(packet.payload, in: bytes) else {
      return
    }
    let payload = bytes.extracting(range)
    guard
      let place = timeline?.place(
        ofRepaired: sequenceNumber, timestamp: packet.header.timestamp),
      // What nobody missed yet nobody asked for.
      place.sequence <= repair.lastSequence,
      var entry = repairEntry(place, payload, arrivalNanoseconds: arrivalNanoseconds)
    else { return }
    entry.recoverableFrames = Self.recoverableFrames(packet.header, payload)
    repair.noteResent(entry)
    if admitRepair(entry, payload: payload) { counts.repairedByResending += 1 }
  }

  /// Lists the missing packets whose RTX can still arrive in time.
  ///
  /// - Parameters:
  ///   - roundTripNanoseconds: as measured by reports; nil: not yet, so no NACK.
  ///   - numbers: room for the sequence numbers, which ascend.
  /// - Returns: how many.
  public func takeRequests(
    roundTripNanoseconds: Int64?, nowNanoseconds: Int64,
    into numbers: inout MutableSpan<SequenceNumber>
  ) -> Int {
    repair.setRoundTrip(nanoseconds: roundTripNanoseconds)
    if waitsForRepairs && isPlaying {
      repair.missOverdue(
        nowNanoseconds: nowNanoseconds, transitNanoseconds: controller.seldomTransitNanoseconds)
    }
    guard let timeline else { return 0 }
    var count = 0
    let room = numbers.count
    repair.takeRequests(
      nowNanoseconds: nowNanoseconds,
      offsetNanoseconds: isPlaying
        ? max(offsetNanoseconds, controller.targetNanoseconds) : controller.targetNanoseconds,
      leadNanoseconds: grid?.leadNanoseconds ?? 0
    ) { sequence in
      guard count < room else { return }
      numbers[count] = timeline.sequenceNumber(of: sequence)
      count += 1
    }
    return count
  }

  /// Whether playout waits for repairs.
  public var waitsForRepairs: Bool { controller.repairDelayNanoseconds > 0 }

  /// Reception of the packets played or given up since the last call; nil: none.
  public func takeLossReport() -> LossReport? {
    repair.takeReport(before: buffer.nextSequence)
  }

  /// Notes a packet's own arrival for reports, NACKs and the repair delay.
  func noteArrival(_ entry: PacketBuffer.Entry, isHeard: Bool) {
    repair.note(
      entry, isHeard: isHeard, wanderNanoseconds: controller.wanderNanoseconds)
    counts.delayRiseNanoseconds = repair.delayRiseNanoseconds
    counts.burstPackets = repair.burstPackets
    if !entry.isNotice {
      let rate = 8 * entry.payloadBytes * MediaClock.framesPerSecond / entry.durationFrames
      counts.codedBitsPerSecond +=
        (rate - counts.codedBitsPerSecond) / (counts.codedBitsPerSecond == 0 ? 1 : 64)
    }
    applyPatience()
  }

  /// Notes delay removed in silence that repairs no longer need.
  func shortenPatience(byNanoseconds taken: Int64) {
    repair.shorten(byNanoseconds: taken)
    applyPatience()
  }

  private func applyPatience() {
    controller.repairDelayNanoseconds = repair.delayNanoseconds
    controller.spareNanoseconds = repair.spareNanoseconds
  }

  private func receive(
    _ copy: RedundantPayload.Copy, payload: RawSpan, of header: RTPHeader,
    arrivalNanoseconds: Int64
  ) {
    counts.copies += 1
    // A copy has no number of its own: packets in a row have consecutive ones.
    guard let frames = OpusTOC.frameCount(payload: payload), copy.timestampOffset > 0,
      copy.timestampOffset % frames == 0,
      let place = timeline?.place(
        ofRepaired: header.sequenceNumber.advanced(by: -copy.timestampOffset / frames),
        timestamp: header.timestamp.advanced(by: -copy.timestampOffset)),
      header.ssrc == timeline?.ssrc,
      let entry = repairEntry(place, payload, arrivalNanoseconds: arrivalNanoseconds)
    else { return }
    repair.noteCopy(entry, offsetFrames: copy.timestampOffset)
    _ = admitRepair(entry, payload: payload)
  }

  private func repairEntry(
    _ place: StreamTimeline.Place, _ payload: RawSpan, arrivalNanoseconds: Int64
  ) -> PacketBuffer.Entry? {
    guard payload.byteCount <= Self.maximumPayloadBytes,
      let durationFrames = OpusTOC.frameCount(payload: payload)
    else { return nil }
    var entry = PacketBuffer.Entry(
      at: place, durationFrames: durationFrames, payloadBytes: payload.byteCount,
      arrivalNanoseconds: arrivalNanoseconds)
    entry.isRepair = true
    return entry
  }

  /// Queues a repair if its packet is missing and its playout is still ahead.
  private func admitRepair(_ entry: PacketBuffer.Entry, payload: RawSpan) -> Bool {
    let isPassed = isPlaying && !isClosing && entry.startFrame < nextFrame
    guard buffer.standing(of: entry.sequence) == .ahead, !isPassed,
      entry.sequence - buffer.nextSequence < Int64(buffer.slotCount)
    else { return false }
    buffer.insert(entry, payload: payload)
    repair.noteRepaired(entry.sequence)
    counts.repaired += 1
    return true
  }
}

/// In-band FEC: a packet that is missing at its turn is decoded from the packet after it,
/// if that tells of it (RFC 6716 §2.1.7).
///
/// That works with whoever sends it. The wait for the packet after is the sender's word, as that for copies: only where
/// packets get lost, as some send FEC all the time.
extension PeerStream {
  /// Frames right before a packet that its FEC covers.
  ///
  /// What begins a talk spurt tells of the end of the one before, a pause ago: of nothing.
  static func recoverableFrames(_ header: RTPHeader, _ payload: RawSpan) -> Int {
    header.marker ? 0 : OpusTOC.recoverableFrameCount(payload: payload)
  }

  /// Renders the frames missing before a packet: conceals those that its FEC does not cover.
  func bridge(
    _ gapFrames: Int64, before next: PacketBuffer.Entry, into pcm: inout MutableSpan<Float>
  ) -> Int {
    let recoverable = Int64(next.recoverableFrames)
    guard recoverable > 0, gapFrames >= recoverable else {
      return conceal(gapFrames: gapFrames, into: &pcm)
    }
    guard gapFrames == recoverable, recover(by: next) else {
      let left = gapFrames - recoverable
      return conceal(gapFrames: left > 0 ? left : gapFrames, into: &pcm)
    }
    return playback.emit(into: &pcm)
  }

  private func recover(by next: PacketBuffer.Entry) -> Bool {
    let frames = next.recoverableFrames
    guard playback.recover(from: buffer.payload(of: next), frames: frames) else { return false }
    let missing = next.sequence - 1
    repair.noteRepaired(missing)
    leave(buffer.takeRecovered(missing))
    nextFrame = next.startFrame
    counts.repaired += 1
    counts.recovered += 1
    counts.played += 1
    return true
  }
}
