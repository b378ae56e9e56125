import Media

/// What has time: peers that fell silent, rates, reports.
extension Station {
  /// How often expiry, reports and rates are looked at.
  private static let housekeepingNanoseconds: Int64 = 50_000_000
  private static let rateNanoseconds: Int64 = 1_000_000_000

  /// Reports that are due, peers that fell silent, rates for display.
  func keepHouse(nowNanoseconds: Int64) {
    nextHousekeepingNanoseconds = nowNanoseconds + Self.housekeepingNanoseconds
    var index = 0
    while index < peers.all.count {
      let peer = peers.all[index]
      sendReportIfDue(peer, nowNanoseconds: nowNanoseconds)
      let count = peers.all.count
      expire(peer, nowNanoseconds: nowNanoseconds)
      if peers.all.count == count { index += 1 }
    }
    followMembers(nowNanoseconds: nowNanoseconds)
    dropOldKeys(nowNanoseconds: nowNanoseconds)
    retryPorts()
    lookAtSound(nowNanoseconds)
    expireLoopBack(nowNanoseconds: nowNanoseconds)
    if nowNanoseconds >= nextRateNanoseconds { measureRates(nowNanoseconds) }
  }

  private func expire(_ peer: Peer, nowNanoseconds: Int64) {
    let quiet =
      nowNanoseconds
      - (peer.state == .connected ? peer.presenceNanoseconds : peer.heardNanoseconds)
    switch peer.state {
    case .connected where quiet > Peer.Limit.goneNanoseconds: leave(peer, saidGoodbye: false)
    case .contacted where isStale(peer, quiet, nowNanoseconds): leave(peer, saidGoodbye: false)
    case .duplicate where quiet > Peer.Limit.goneNanoseconds: leave(peer, saidGoodbye: false)
    default: break
    }
  }

  private func isStale(_ peer: Peer, _ quiet: Int64, _ nowNanoseconds: Int64) -> Bool {
    let limit = Peer.Limit.unconfirmedNanoseconds
    let age = nowNanoseconds - peer.createdNanoseconds
    return quiet > limit || isUnconfirmedStranger(peer) && age > limit
  }

  private func measureRates(_ nowNanoseconds: Int64) {
    let elapsed = nowNanoseconds - nextRateNanoseconds + Self.rateNanoseconds
    nextRateNanoseconds = nowNanoseconds + Self.rateNanoseconds
    maxima.take(from: engine, nowNanoseconds: nowNanoseconds)
    for peer in peers.all {
      guard let stream = peer.stream else { continue }
      let octets = stream.statistics.receivedOctets
      peer.receivedBitsPerSecond =
        Int(Double(octets - peer.rateOctets) * 8e9 / Double(max(elapsed, 1)))
      peer.rateOctets = octets
      peer.quality.observe(stream.statistics, roundTrip: peer.reports.roundTrip)
    }
  }
}
