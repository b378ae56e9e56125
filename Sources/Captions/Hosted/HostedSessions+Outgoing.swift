public import Cryptography

/// What is to be said to members.
extension HostedSessions {
  /// What to say to a node next; nil: nothing now.
  public mutating func next(for node: NodeID, nowNanoseconds now: Int64) -> [UInt8]? {
    guard let post = posts[node], !post.isPaused(nowNanoseconds: now) else { return nil }
    if posts[node]?.takeRoll() == true { return HostedFrame.roll(roll).octets }
    while let key = posts[node]?.takeWant() {
      guard let part = shelf.parts[key] else { continue }
      return HostedFrame.want(key, holding: part.transcript.held).octets
    }
    while let key = posts[node]?.takeNotice() {
      guard let notice = notice(of: key, to: node, now) else { continue }
      return HostedFrame.notice(notice).octets
    }
    while let key = posts[node]?.nextFeed {
      if let octets = chunks(of: key, for: node) { return octets }
    }
    return nil
  }

  var roll: SessionRoll {
    var roll = SessionRoll(run: run)
    roll.offersCaptions = offersCaptions
    roll.seats = joined.sorted { $0.key < $1.key }.map {
      SessionRoll.Seat(session: $0.key, readMilliseconds: $0.value)
    }
    return roll
  }

  /// What is told a member of a part; nil: its host tells it, or it knows.
  func notice(
    of key: CaptionSessionKey, to node: NodeID, _ now: Int64
  ) -> SessionNotice? {
    guard let part = shelf.parts[key], let post = posts[node] else { return nil }
    let host = key.captioner
    let sum = part.summary { isVisible($0, of: key, to: node) }
    if host != own {
      // Its host tells it, unless it restarted, and lacks it.
      if host != node, let told = posts[host]?.told[key],
        told.isHosting || told.digest == part.summary({ _ in true }).digest
      {
        return nil
      }
      if let told = post.told[key], told.digest == sum.digest { return nil }
    }
    return SessionNotice(
      bill: part.bill, isFollowed: post.isFollowing(key), isHosting: hosting == key,
      batteryPercent: hosting == key ? ownBatteryPercent : nil,
      elapsedMilliseconds: UInt32(
        clamping: max(0, now - part.transcript.beganNanoseconds) / 1_000_000),
      count: UInt32(sum.count), digest: sum.digest)
  }

  mutating func chunks(of key: CaptionSessionKey, for node: NodeID) -> [UInt8]? {
    guard var post = posts[node] else { return nil }
    let head = HostedFrame.head(ofChunksOf: key)
    var packer = CaptionPacker(after: head)
    while post.takeChunk(
      of: key,
      { index in
        // Who left a line meanwhile gets no more of it.
        guard let signed = shelf.signed(index, of: key), isVisible(signed.chunk, of: key, to: node)
        else { return true }
        return packer.add(signed.chunk, signature: signed.signature)
      })
    {}
    posts[node] = post
    return packer.octets.count == head.count ? nil : packer.octets
  }

  /// The lane did not take what was to be said to a node: it begins again a second later.
  public mutating func failed(_ node: NodeID, nowNanoseconds now: Int64) {
    posts[node]?.beginAgain(
      telling: Array(shelf.parts.keys), untilNanoseconds: now + CaptionLimits.retryNanoseconds)
  }
}
