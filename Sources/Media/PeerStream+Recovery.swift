import RTP

/// In-band FEC: a packet that is missing at its turn is decoded from the packet after it, if that tells of it (RFC 6716 §2.1.7).
///
/// That works with whoever sends it. The wait for the packet after is the sender's word, as that for copies: only where
/// packets get lost, as some send FEC all the time.
extension PeerStream {
  /// From that loss on it is waited for.
  private static let tellingLoss = 0.005

  /// How many frames right before a packet it tells of.
  ///
  /// What begins a talk spurt tells of the end of the one before, a pause ago: of nothing.
  static func recoverableFrames(_ header: RTPHeader, _ payload: RawSpan) -> Int {
    header.marker ? 0 : OpusTOC.recoverableFrameCount(payload: payload)
  }

  /// Takes note that the packet before one that came needs not be asked for, and what it takes to wait for the next such.
  func noteRecovery(_ entry: PacketBuffer.Entry) {
    guard entry.recoverableFrames > 0 else { return }
    requests.noteRepair(
      entry.sequence - 1, isAnswer: false, arrivalNanoseconds: entry.arrivalNanoseconds)
    guard patience.lossShare >= Self.tellingLoss else { return }
    patience.noteCopies(
      frames: entry.recoverableFrames, arrivalNanoseconds: entry.arrivalNanoseconds)
  }

  /// Renders what is missing before a packet: of more than it tells of, the first is concealed.
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
    reception.note(missing, came: false, heard: true)
    leave(buffer.takeRecovered(missing))
    nextFrame = next.startFrame
    counts.repaired += 1
    counts.recovered += 1
    counts.played += 1
    return true
  }
}
