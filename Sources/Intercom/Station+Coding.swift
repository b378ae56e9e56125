public import Audio
public import Media

/// How the microphone is coded, for all peers at once: what their ways take.
extension Station {
  /// A pause in speech comes within that time, or is not waited for.
  private static let codingPatienceNanoseconds: Int64 = 1_000_000_000

  /// Chooses the one coding for all, if the same is best twice in a row or a way takes no more.
  func planCoding(nowNanoseconds: Int64) {
    let lean = coding.leanBitsPerSecond
    let needs = listeners.compactMap {
      $0.peer.repair?.need(full: coding.bitsPerSecond, lean: lean)
    }
    let best = codings.coding(for: needs, current: coding)
    defer { wantedCoding = best }
    guard best != coding else {
      awaitedCoding = nil
      return
    }
    let isTooMuch = needs.contains {
      plan.rating(of: $0.recipe, for: $0, full: coding.bitsPerSecond) == nil
    }
    guard best == wantedCoding || isTooMuch else {
      if awaitedCoding?.coding != best { awaitedCoding = nil }
      return
    }
    if best.differsInRateOnly(from: coding) {
      awaitedCoding = nil
      change(to: best)
    } else {
      // Over a way that takes no more nothing is heard until less is sent.
      let untilNanoseconds =
        isTooMuch
        ? nowNanoseconds
        : awaitedCoding?.untilNanoseconds ?? nowNanoseconds + Self.codingPatienceNanoseconds
      awaitedCoding = (best, untilNanoseconds)
    }
  }

  /// Codes as usual again when nobody is left to listen: whoever comes next has a way of its own.
  func forgetNarrowWays() {
    (wantedCoding, awaitedCoding) = (nil, nil)
    if coding != codings.usual { change(to: codings.usual) }
  }

  /// Lets packets of another length or mode begin where nobody hears it, if there is such a moment soon.
  func changeCodingIfDue(nowNanoseconds: Int64) {
    guard let awaited = awaitedCoding,
      !talker.isTalking || nowNanoseconds >= awaited.untilNanoseconds
    else { return }
    awaitedCoding = nil
    change(to: awaited.coding)
  }

  /// Codes otherwise from the next frame on; allocates.
  private func change(to new: VoiceCoding) {
    let isLengthChanged = new.framesPerPacket != coding.framesPerPacket
    coding = new
    plan = codings.recipes(of: new)
    talker.aim(new)
    if isLengthChanged {
      capture.framesPerPacket = new.framesPerPacket
      followWakeThreshold()
    }
    var areRecipesChanged = false
    for peer in peers.all {
      guard let repair = peer.repair else { continue }
      (repair.framesPerPacket, repair.hasFEC) = (new.framesPerPacket, new.hasFEC)
      guard configuration.fixedRecipe == nil, peer.state == .connected else { continue }
      let isChanged = repair.decide(
        by: plan, full: new.bitsPerSecond, lean: new.leanBitsPerSecond)
      areRecipesChanged = areRecipesChanged || isChanged
    }
    if areRecipesChanged { rebuildListeners() }
  }
}

extension OpusEncoder: FrameEncoder {
  /// Aims at another bit rate; one outside `bitrateRange` leaves the old one.
  public func aim(bitsPerSecond: Int) { try? setBitrate(bitsPerSecond: bitsPerSecond) }

  /// Expects another loss; one outside 0...100 leaves the old one.
  public func expect(lossPercent: Int) { try? setExpectedLoss(percent: lossPercent) }
}
extension OpusDecoder: FrameDecoder {}
extension Resampler: FrameResampler {}
