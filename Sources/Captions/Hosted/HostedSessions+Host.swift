public import Cryptography

/// What the host of a session does.
extension HostedSessions {
  /// Begins a session; all members are told.
  ///
  /// - Parameter host: what this device is called.
  public mutating func begin(
    _ title: SessionTitle, host: String, nowNanoseconds now: Int64
  ) throws(HostedError) -> CaptionSessionKey {
    guard hosting == nil else { throw .isHosting }
    guard Self.isVisible(title.name) else { throw .badName }
    nextNumber += 1
    let key = CaptionSessionKey(captioner: own, number: nextNumber)
    try open(key, generation: 1, title, host: host, beganNanoseconds: now, nowNanoseconds: now)
    return key
  }

  /// Goes on with a session whose host is gone.
  ///
  /// - Returns: what it is.
  public mutating func resume(
    _ session: CaptionSessionKey, host: String, nowNanoseconds now: Int64
  ) throws(HostedError) -> SessionTitle {
    guard hosting == nil else { throw .isHosting }
    guard let last = shelf.parts(of: session).last?.bill,
      let began = shelf.beganNanoseconds(session)
    else { throw .unknown }
    if let live = self.host(of: session) { throw .isLive(host: live.bill.host) }
    guard states[session] != .over else { throw .isOver }
    let title = SessionTitle(name: last.name, line: last.line, isSolo: last.isSolo)
    let lost = lastLive[session]?.lostNanoseconds
    nextNumber += 1
    try open(
      nextNumber, of: session, generation: last.generation + 1, title, host: host,
      beganNanoseconds: began, nowNanoseconds: now)
    if last.part.captioner == own {
      mark("the host is back, the session goes on", nowNanoseconds: now)
    } else {
      if let lost { mark("the host \(last.host) is gone", nowNanoseconds: lost) }
      mark("\(host) goes on with the session", nowNanoseconds: now)
    }
    return title
  }

  mutating func open(
    _ key: CaptionSessionKey, generation: UInt32, _ title: SessionTitle, host: String,
    beganNanoseconds began: Int64, nowNanoseconds now: Int64
  ) throws(HostedError) {
    try open(
      key.number, of: key, generation: generation, title, host: host, beganNanoseconds: began,
      nowNanoseconds: now)
  }

  mutating func open(
    _ number: UInt64, of session: CaptionSessionKey, generation: UInt32, _ title: SessionTitle,
    host: String, beganNanoseconds began: Int64, nowNanoseconds now: Int64
  ) throws(HostedError) {
    guard generation <= SessionBill.mostGenerations,
      let bill = SessionBill(
        number, of: session, generation: generation, title, host: host, ending: .open, by: signer)
    else { throw .failed }
    do throws(CaptionFault) {
      let kept = Set(joined.keys).union([session])
      noteForgotten(
        try shelf.take(bill, beganNanoseconds: began, kept: kept).forgotten)
    } catch {
      throw .failed
    }
    (hosting, nextIndex) = (bill.part, 0)
    if joined[session] == nil, joined.count < CaptionLimits.seats { joined[session] = 0 }
    refresh(session, nowNanoseconds: now)
    for part in shelf.parts(of: session) { ask(for: part, nowNanoseconds: now) }
    owe(noticeOf: bill.part)
    oweRolls()
  }

  /// Ends the session that this node hosts.
  public mutating func end(nowNanoseconds now: Int64) throws(HostedError) {
    guard hosting != nil else { throw .isNotHosting }
    close(.over, nowNanoseconds: now)
  }

  mutating func close(_ ending: SessionBill.Ending, nowNanoseconds now: Int64) {
    guard let key = hosting, let bill = shelf.parts[key]?.bill else { return }
    settleAll()
    hosting = nil
    let title = SessionTitle(name: bill.name, line: bill.line, isSolo: bill.isSolo)
    if let closed = SessionBill(
      key.number, of: bill.session, generation: bill.generation, title, host: bill.host,
      ending: ending, by: signer)
    {
      _ = try? shelf.take(closed, beganNanoseconds: now, kept: [])
    }
    refresh(bill.session, nowNanoseconds: now)
    owe(noticeOf: key)
  }

  /// What people see as a name: something in it is neither blank nor invisible.
  static func isVisible(_ name: String) -> Bool {
    (1...CaptionLimits.nameBytes).contains(name.utf8.count)
      && name.unicodeScalars.allSatisfy {
        ![.control, .lineSeparator, .paragraphSeparator].contains($0.properties.generalCategory)
      }
      && name.unicodeScalars.contains {
        ![.format, .spaceSeparator, .surrogate, .privateUse, .unassigned]
          .contains($0.properties.generalCategory)
      }
  }

  /// Something happened to the session that this node hosts, in words; it is in the transcript.
  mutating func mark(_ words: String, nowNanoseconds time: Int64) {
    var chunk = CaptionChunk(
      index: nextIndex, revision: 1, talker: CaptionTalker(node: own, name: ""),
      startMilliseconds: milliseconds(time), durationMilliseconds: 0,
      text: words.cut(toBytes: CaptionLimits.textBytes), isFinal: true, language: "",
      confidencePercent: nil)
    chunk.isMarker = true
    if put(chunk) { nextIndex += 1 }
  }

  func milliseconds(_ time: Int64) -> UInt32 {
    guard let hosting, let session = session(ofPart: hosting),
      let began = shelf.beganNanoseconds(session)
    else { return 0 }
    return UInt32(clamping: max(0, time - began) / 1_000_000)
  }

  mutating func put(_ chunk: CaptionChunk) -> Bool {
    guard let key = hosting, let signed = SignedChunk(chunk, of: key, by: signer) else {
      return false
    }
    do throws(CaptionFault) {
      guard try shelf.take(signed, of: key, isProved: true) else { return false }
    } catch {
      refuse(error, of: own)
      return false
    }
    events.append(.chunk(key, chunk.index))
    for node in posts.keys where isVisible(chunk, of: key, to: node) {
      posts[node]?.note(chunk.index, of: key)
      woken.insert(node)
    }
    return true
  }
}

extension HostedSessions: CaptionSink {
  /// Somebody began to say something; see ``CaptionDesk/open(_:in:beganNanoseconds:_:)``.
  public mutating func open(
    _ talker: CaptionTalker, in places: Set<CaptionPlace>, beganNanoseconds began: Int64,
    _ words: CaptionWords
  ) -> UInt32? {
    guard hosting != nil, nextIndex < CaptionLimits.chunks else { return nil }
    let chunk = CaptionChunk(
      index: nextIndex, talker, startMilliseconds: milliseconds(began), words)
    guard put(chunk) else { return nil }
    defer { nextIndex += 1 }
    return nextIndex
  }

  /// What is said is another text now; what was final stays.
  public mutating func update(_ index: UInt32, _ words: CaptionWords) {
    guard var chunk = ownChunk(index), !chunk.isFinal else { return }
    chunk.take(words)
    _ = put(chunk)
  }

  /// Nothing more comes of it: what is known stays.
  public mutating func settle(_ index: UInt32) {
    guard var chunk = ownChunk(index), !chunk.isFinal else { return }
    chunk.revision += 1
    chunk.isFinal = true
    _ = put(chunk)
  }

  /// Nothing more comes of what somebody is saying, or anybody.
  public mutating func settleAll(of talker: NodeID? = nil) {
    guard let hosting, let chunks = transcript(ofPart: hosting)?.chunks.values else { return }
    for chunk in chunks where !chunk.isFinal && (talker == nil || chunk.talker.node == talker) {
      settle(chunk.index)
    }
  }

  private func ownChunk(_ index: UInt32) -> CaptionChunk? {
    hosting.flatMap { transcript(ofPart: $0)?.chunks[index] }
  }
}
