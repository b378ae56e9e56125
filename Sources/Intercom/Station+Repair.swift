import EventLoop
import Media
import RTP

/// Loss repair: packets asked for and sent again, and who gets which copies.
extension Station {
  /// Packets named in one datagram of a peer that are looked at.
  private static let mostNamed = 64
  /// Packets sent again in one wake-up to all peers together: the loop's other slots are for sound and reports.
  private static let mostResentPerWake = 32
  private static let planNanoseconds: Int64 = 1_000_000_000
  /// So much sooner where a way takes less than it is sent.
  private static let hasteNanoseconds: Int64 = 750_000_000
  /// Different packets made of one frame, at most, besides those without copies; further needs are served with the
  /// most copies that fit.
  static let mostRecipes = 4

  /// Asks peers for packets that are missed and may still come in time.
  func sendRequests(nowNanoseconds: Int64) {
    for listener in listeners {
      let peer = listener.peer
      guard let stream = peer.stream else { continue }
      var numbers = requestNumbers.mutableSpan
      let count = stream.takeRequests(
        roundTripNanoseconds: peer.reports.roundTrip?.smoothedNanoseconds,
        nowNanoseconds: nowNanoseconds, into: &numbers)
      guard count > 0 else { continue }
      let missed = requestNumbers
      let slot = endpoint.makePacket { packet in
        makeReport(into: &packet) {
          peer.reports.makeRequest(for: missed.span.extracting(..<count), into: &$0)
        }
      }
      if let slot { endpoint.send(slot, to: peer.address) }
    }
  }

  /// Takes a peer's feedback: sends again what it asks for, to the address that proved to be its own.
  func receiveFeedback(_ bytes: RawSpan, of peer: Peer, nowNanoseconds: Int64) {
    do {
      try peer.reports.handleFeedback(bytes, limit: Self.mostNamed) { number in
        resend(number, to: peer, nowNanoseconds: nowNanoseconds)
      }
    } catch {
      drops.count(error)
    }
  }

  /// Whether packets get lost on the way to a peer or from it, and are asked for.
  var isRepairing: Bool {
    for listener in listeners {
      if listener.peer.repair?.isAtRest == false { return true }
      if listener.peer.stream?.waitsForRepairs == true { return true }
    }
    return false
  }

  private func resend(_ number: SequenceNumber, to peer: Peer, nowNanoseconds: Int64) {
    guard resentThisWake < Self.mostResentPerWake, talker.remembers(number),
      peer.repair?.resends.take(number, nowNanoseconds: nowNanoseconds) == true
    else { return }
    resentThisWake += 1
    let slot = endpoint.makePacket { packet in
      makeMedia(into: &packet) { talker.writeResent(number, into: &$0) }
    }
    if let slot { endpoint.send(slot, to: peer.address) }
  }

  /// Decides anew what a peer is sent, after its report, and now and then at what bit rate all is coded.
  func followLosses(of peer: Peer, nowNanoseconds: Int64) {
    guard let repair = peer.repair else { return }
    let (full, lean) = (coding.bitsPerSecond, coding.leanBitsPerSecond)
    let isTelling = repair.observe(
      peer.reports.remotePattern, roundTrip: peer.reports.roundTrip,
      riseBackNanoseconds: peer.stream?.statistics.delayRiseNanoseconds ?? 0,
      sentBitsPerSecond: repair.bitsPerSecond(full: full, lean: lean),
      sent: (peer.sentPackets, peer.sentOctets),
      nowNanoseconds: nowNanoseconds)
    guard isTelling else { return }
    // Planning allocates; where all is well there is nothing to plan.
    guard configuration.fixedRecipe == nil,
      !repair.isAtRest || coding != codings.usual
    else {
      if listeners.allSatisfy({ $0.peer.repair?.isAtRest != false }) { wantedCoding = nil }
      return
    }
    let isTooMuch =
      repair.isReduced
      && plan.rating(
        of: repair.recipe, for: repair.need(full: full, lean: lean), full: full) == nil
    if nowNanoseconds >= nextPlanNanoseconds - (isTooMuch ? Self.hasteNanoseconds : 0) {
      nextPlanNanoseconds = nowNanoseconds + Self.planNanoseconds
      planCoding(nowNanoseconds: nowNanoseconds)
    }
    if repair.decide(by: plan, full: coding.bitsPerSecond, lean: lean) { rebuildListeners() }
  }

  /// Groups the connected peers by what their packets carry.
  func rebuildListeners() {
    listeners.removeAll(keepingCapacity: true)
    recipes.removeAll(keepingCapacity: true)
    for peer in peers.all where peer.state == .connected {
      listeners.append(
        Listener(peer: peer, recipeIndex: recipeIndex(peer.repair?.recipe ?? .plain)))
    }
    talker.codesLean = recipes.contains { $0.needsLean }
  }

  private func rate(of recipe: RepairRecipe) -> Int {
    recipe.bitsPerSecond(
      full: coding.bitsPerSecond, lean: coding.leanBitsPerSecond,
      framesPerPacket: coding.framesPerPacket)
  }

  private func recipeIndex(_ wanted: RepairRecipe) -> Int {
    if let index = recipes.firstIndex(of: wanted) { return index }
    // Without copies there are but two, and a narrow way must get its own.
    if recipes.count < Self.mostRecipes || wanted.copyCount == 0 {
      recipes.append(wanted)
      return recipes.count - 1
    }
    let fitting = recipes.indices.filter { rate(of: recipes[$0]) <= rate(of: wanted) }
    return fitting.max { recipes[$0].copyCount < recipes[$1].copyCount }
      ?? recipeIndex(RepairRecipe(primary: wanted.primary))
  }
}
