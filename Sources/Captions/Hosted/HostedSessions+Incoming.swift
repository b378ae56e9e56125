public import Cryptography

/// What members say, and what follows from it.
extension HostedSessions {
  /// Takes what a member said, if it is of hosted sessions.
  ///
  /// - Parameters:
  ///   - refusing: since when somebody refuses to be captioned; nil: they do not.
  public mutating func take(
    _ octets: [UInt8], from node: NodeID, nowNanoseconds now: Int64,
    refusing: (NodeID) -> Int64?
  ) {
    guard posts[node] != nil else { return early.keep(octets, of: node) }
    do throws(CaptionFault) {
      switch try HostedFrame(parsing: octets) {
      case .roll(let roll): hear(roll, from: node, now)
      case .notice(let notice): try take(notice, from: node, now)
      case .want(let part, let held): give(part, but: held, to: node)
      case .chunks(let part, let chunks):
        guard let bill = shelf.parts[part]?.bill else { throw .unknownSession }
        for chunk in chunks { take(chunk, of: bill, from: node, refusing) }
      }
    } catch  where error == .unknownSession {
      // Of before a restart, or of one that made room.
      faults[error, default: 0] += 1
    } catch {
      refuse(error, of: node)
    }
  }

  mutating func refuse(_ fault: CaptionFault, of node: NodeID) {
    faults[fault, default: 0] += 1
    events.append(.refused(from: node, fault))
  }

  mutating func hear(_ roll: SessionRoll, from node: NodeID, _ now: Int64) {
    guard posts[node]?.hear(roll) == false else { return }
    posts[node]?.oweRoll()
    for part in shelf.parts.keys { posts[node]?.owe(noticeOf: part) }
    woken.insert(node)
    refreshAll(nowNanoseconds: now)
  }

  mutating func take(
    _ notice: SessionNotice, from node: NodeID, _ now: Int64
  ) throws(CaptionFault) {
    let (bill, key) = (notice.bill, notice.bill.part)
    let isHost = key.captioner == node
    let began = now - Int64(notice.elapsedMilliseconds) * 1_000_000
    let kept = Set(joined.keys)
    let outcome = try shelf.take(bill, beganNanoseconds: began, kept: kept)
    noteForgotten(outcome.forgotten)
    if outcome.isNew, key.captioner != own, !isHost { owe(noticeOf: key) }
    if isHost {
      shelf.take(beganNanoseconds: began, of: key)
      note(batteryPercent: notice.batteryPercent, of: node, bill.session)
    }
    posts[node]?.note(notice)
    refresh(bill.session, nowNanoseconds: now)
    guard joined[bill.session] != nil, hosting != key, let part = shelf.parts[key] else { return }
    let mine = part.summary { _ in true }
    let lacksFeed = isHost && notice.isHosting && !notice.isFollowed
    guard notice.digest != mine.digest || lacksFeed else { return }
    // Others have it too, and what was just asked for is under way.
    if !isHost, let time = asked[key], now < time + CaptionLimits.wantNanoseconds { return }
    asked[key] = now
    posts[node]?.want(key)
    woken.insert(node)
  }

  mutating func note(
    batteryPercent: UInt8?, of node: NodeID, _ session: CaptionSessionKey
  ) {
    let former = posts[node]?.batteryPercent
    posts[node]?.batteryPercent = batteryPercent
    let low = CaptionLimits.lowBatteryPercent
    guard let percent = batteryPercent, percent <= low, former ?? 100 > low else { return }
    events.append(.news(session, .batteryLow(percent)))
  }

  mutating func take(
    _ signed: SignedChunk, of bill: SessionBill, from node: NodeID,
    _ refusing: (NodeID) -> Int64?
  ) {
    let (key, chunk) = (bill.part, signed.chunk)
    guard joined[bill.session] != nil, hosting != key else { return }
    do throws(CaptionFault) {
      guard try shelf.parts[key]?.transcript.growth(by: chunk) != nil else { return }
      // What the host itself sends its connection proves, and thousands of signatures take time.
      let isProved = key.captioner != node
      guard !isProved || signed.isSaid(in: bill) else { throw .forged }
      if !chunk.isMarker, let since = refusing(chunk.talker.node),
        let began = shelf.beganNanoseconds(bill.session),
        began + Int64(chunk.startMilliseconds) * 1_000_000
          > since.saturating(adding: CaptionLimits.refusalNanoseconds)
      {
        throw .refuser
      }
      guard try shelf.take(signed, of: key, isProved: isProved) else { return }
      events.append(.chunk(key, chunk.index))
    } catch {
      refuse(error, of: node)
    }
  }

  func isVisible(
    _ chunk: CaptionChunk, of part: CaptionSessionKey, to node: NodeID
  ) -> Bool {
    guard let post = posts[node], let line = shelf.parts[part]?.bill.line else { return false }
    let speaker = chunk.isMarker ? own : chunk.talker.node
    return reach.groups(of: speaker).contains {
      post.places.contains(CaptionPlace(group: $0, line: line))
    }
  }

  mutating func give(
    _ key: CaptionSessionKey, but held: [Range<UInt32>], to node: NodeID
  ) {
    guard let part = shelf.parts[key] else { return }
    var isHeld: Set<UInt32> = []
    for range in held { isHeld.formUnion(part.transcript.chunks.keys.filter(range.contains)) }
    let missing = part.transcript.chunks.values
      .filter { !isHeld.contains($0.index) && isVisible($0, of: key, to: node) }
      .map(\.index).sorted()
    posts[node]?.feed(key, missing, isFollowing: hosting == key)
    woken.insert(node)
  }

  mutating func noteForgotten(_ keys: [CaptionSessionKey]) {
    for key in keys {
      for node in posts.keys { posts[node]?.forget(key) }
      asked[key] = nil
      events.append(.forgotten(key))
    }
    guard !keys.isEmpty else { return }
    let sessions = shelf.sessions
    states = states.filter { sessions.contains($0.key) }
    lastLive = lastLive.filter { sessions.contains($0.key) }
    joined = joined.filter { sessions.contains($0.key) }
  }

  /// The user forgets all sessions that are over; how many.
  public mutating func clear() -> Int {
    let over = shelf.sessions.filter { states[$0] == .over }
    for session in over {
      joined[session] = nil
      let keys = shelf.parts(of: session).map(\.bill.part)
      for key in keys { shelf.remove(key) }
      noteForgotten(keys)
    }
    if !over.isEmpty { oweRolls() }
    return over.count
  }

  // MARK: States

  mutating func refreshAll(nowNanoseconds now: Int64) {
    for session in shelf.sessions { refresh(session, nowNanoseconds: now) }
  }

  /// Looks at how far a session is, and tells what changed.
  mutating func refresh(_ session: CaptionSessionKey, nowNanoseconds now: Int64) {
    let parts = shelf.parts(of: session)
    for part in parts where part.transcript.isLive != isLive(part) {
      shelf.setLive(isLive(part), part.bill.part)
      events.append(.part(part.bill.part))
    }
    let live = parts.first(where: isLive)?.bill.part
    if let own = hosting, parts.contains(where: { $0.bill.part == own }), live != own {
      // Its host, or whoever went on before this node did, is back.
      mark("the host is back and goes on", nowNanoseconds: now)
      events.append(.news(session, .handedBack))
      return close(.handedOver, nowNanoseconds: now)
    }
    let former = states[session]
    let isOver = live == nil && parts.contains { $0.bill.ending == .over }
    let state: SessionState = live != nil ? .live : isOver ? .over : .lost
    states[session] = state
    switch (former, state) {
    case (.lost, .live), (.over, .live):
      let isSame = live == lastLive[session]?.part
      events.append(.news(session, isSame ? .hostBack : .resumed))
    case (.live, .live) where live != lastLive[session]?.part:
      events.append(.news(session, .resumed))
    case (nil, .live): events.append(.news(session, .announced))
    case (.live, .lost): events.append(.news(session, .hostLost))
    case (.live, .over), (.lost, .over): events.append(.news(session, .ended))
    default: break
    }
    if let live {
      lastLive[session] = (live, nil)
    } else if former == .live {
      lastLive[session]?.lostNanoseconds = now
    }
  }
}
