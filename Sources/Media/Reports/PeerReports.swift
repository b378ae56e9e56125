public import RTP

/// The RTCP session with one remote: when to report, what to say, what to believe.
///
/// Each end has a base stream, by whose SSRC it reports on all that it receives, and up to seven more, of which it
/// sends sender reports in the same compound (RFC 8108 §5.3): ``open(_:)`` and ``close(_:)`` for ours, ``expect(_:)``
/// and ``forget(_:)`` for the remote's, as whoever hands out the keys knows them. Packets and reports of streams that
/// were not expected are nobody's. That a stream comes or goes tells nothing about the remote itself.
///
/// Sans-I/O. On the loop thread, one call at a time; allocates nothing once the remote's texts are
/// known. All times are of one steady clock; the wall clock is never asked.
///
/// States: silent (no remote) → heard → confirmed → silent again by BYE; whether a remote is dead
/// is judged by the caller from `lastHeardNanoseconds`. A remote is *confirmed* when it echoed a
/// reference time that we sent to its address not long ago (LSR of a report block, RFC 3550
/// §6.4.1, or LRR of a DLRR block, RFC 3611 §4.5): whoever forges a source address never sees
/// those. Their origin is drawn from the seed, so they cannot be guessed from the uptime either.
/// A confirmed remote's place goes only to a newcomer that brings such an echo with it; a node
/// that restarts has one after a round trip, as newcomers are answered at once.
public final class PeerReports {
  /// Our base stream.
  public var ssrc: SSRC { own[0].ssrc }
  /// When `makeReport` is due; in the past at the start, as the first report goes out at once.
  public var nextReportNanoseconds: Int64 { schedule.nextNanoseconds }
  /// The remote's base stream; nil before its first compound and after its BYE.
  public var remoteSSRC: SSRC? { remote?.ssrc }
  /// Whether the remote proved that it receives what we send to its address.
  ///
  /// Nobody gets audio, or is shown, before.
  public private(set) var isConfirmed = false
  /// When the last valid compound or packet of the remote came.
  public private(set) var lastHeardNanoseconds: Int64?
  /// The round trip; nil before it was measured.
  public private(set) var roundTrip: RoundTripTime?
  /// How the remote receives our base stream; nil before it reported on us.
  public var remoteReception: RemoteReception? { own[0].reception }
  /// How the remote received the last packets of all our streams, one by one; empty before it told.
  ///
  /// Of each report first all of one stream, then all of the next: what a copy could have repaired shows, but for the
  /// seams.
  public private(set) var remotePattern = LossPattern()
  /// Whether the remote's last compound echoed something of us; if not, it has not heard us yet, or not by that way.
  public private(set) var wasEchoed = false
  /// How we receive the remote's base stream.
  public var reception: ReceptionStatistics {
    remote?.reception ?? ReceptionStatistics(clockRate: clockRate)
  }

  /// The remote's CNAME as it came, repaired to valid UTF-8; not cleaned of control characters.
  public var remoteCanonicalName: String { canonicalName.text }
  /// The remote's NAME, under the same terms.
  public var remoteName: String { name.text }

  private let clockRate: Int
  let localCanonicalName: [UInt8]
  private(set) var localName: [UInt8]
  let clockOrigin: NTPTimestamp
  var schedule: ReportSchedule
  var sent = SentReferenceTimes()
  /// Our streams, the base stream first, and their SSRCs.
  var own: [OwnStream] = []
  private(set) var ownSSRCs: [SSRC] = []
  /// The remote's base stream, and those of its others that are expected.
  var remote: HeardStream?
  var others: [HeardStream] = []
  /// Where the next report begins, as not all may find room.
  var turn = ReportTurn()
  var lastReceiverReference: ReceivedReference?
  private var canonicalName = ReceivedText()
  private var name = ReceivedText()
  /// A remote that restarts takes longer; one that flips SSRC or CNAME costs its receiver no more.
  private static let replacementNanoseconds: Int64 = 1_000_000_000
  private var replacedNanoseconds: Int64 = .min / 2

  /// Starts a session in which `nextReportNanoseconds` is already past.
  ///
  /// - Parameters:
  ///   - ssrc: our base stream.
  ///   - canonicalName: our CNAME, not empty (RFC 7022 §4.2 says how to choose one).
  ///   - name: our NAME; empty: none is sent. Of both at most 255 octets of whole characters go out.
  ///   - seed: draws intervals and the origin of our reference times; unguessable outside of tests.
  ///   - clockRate: the remote stream's media clock in Hz, above 0.
  public init(
    ssrc: SSRC, canonicalName: String, name: String, seed: UInt64, clockRate: Int = 48_000
  ) {
    var random = SeededGenerator(seed: seed)
    self.clockRate = clockRate
    localCanonicalName = Self.octets(of: canonicalName)
    localName = Self.octets(of: name)
    clockOrigin = NTPTimestamp(rawValue: random.next())
    schedule = ReportSchedule(random: random)
    own.reserveCapacity(ReportedStreams.limit)
    ownSSRCs.reserveCapacity(ReportedStreams.limit)
    others.reserveCapacity(ReportedStreams.limit - 1)
    own.append(OwnStream(ssrc: ssrc))
    ownSSRCs.append(ssrc)
  }

  /// Calls ourselves otherwise from the next report on; empty: no NAME is sent.
  public func rename(_ name: String) { localName = Self.octets(of: name) }

  /// Counts an RTP packet that came from the remote's address.
  ///
  /// - Returns: false, and nothing counted, when it is of no stream of the remote's, or the remote was not heard yet.
  public func receive(_ header: RTPHeader, arrivalNanoseconds: Int64) -> Bool {
    guard remote != nil else { return false }
    if remote?.ssrc == header.ssrc {
      remote?.reception.receive(header, arrivalNanoseconds: arrivalNanoseconds)
    } else {
      guard let place = others.firstIndex(where: { $0.ssrc == header.ssrc }) else { return false }
      others[place].reception.receive(header, arrivalNanoseconds: arrivalNanoseconds)
    }
    lastHeardNanoseconds = arrivalNanoseconds
    return true
  }

  /// Makes a report due at once, as the remote should hear of this soon: at most one between two regular ones.
  public func hurry(nowNanoseconds: Int64) { schedule.hurry(nowNanoseconds: nowNanoseconds) }

  /// Reports at once and four times more within 1.5 s, as the remote is to be heard soon: at most once a second.
  public func introduce(nowNanoseconds: Int64) {
    schedule.introduce(nowNanoseconds: nowNanoseconds)
  }

  /// Reports soon, so that the remote learns that we heard it; bounded as the answers to newcomers are.
  public func answer(nowNanoseconds: Int64) {
    schedule.answer(nowNanoseconds: nowNanoseconds, isProven: false)
  }

  /// Takes an RTCP compound that came from the remote's address.
  ///
  /// - Throws: why it is invalid; then nothing of it was believed.
  public func handle(_ bytes: RawSpan, nowNanoseconds: Int64) throws(RTPParseError) -> ReportEvents
  {
    let digest = try CompoundDigest(parsing: bytes, for: ownSSRCs)
    guard digest.sender != ssrc else {
      return isOurs(digest, of: bytes) ? [.ownSSRCSeen, .ourselves] : .ownSSRCSeen
    }
    if digest.isLeaving {
      guard digest.sender == remoteSSRC else { return [] }
      forgetRemote()
      return .bye
    }
    let proof = proof(in: digest, nowNanoseconds: nowNanoseconds)
    guard
      var events = admit(
        digest, of: bytes, isProven: proof != nil, nowNanoseconds: nowNanoseconds)
    else { return [] }

    lastHeardNanoseconds = nowNanoseconds
    if let range = digest.canonicalName { _ = canonicalName.update(from: range, of: bytes) }
    if let range = digest.name, name.update(from: range, of: bytes) { events.insert(.nameChanged) }
    wasEchoed = digest.echo != nil || digest.told[0].block?.lastSR ?? 0 != 0
    note(digest, nowNanoseconds: nowNanoseconds)
    for place in own.indices {
      guard let received = digest.told[place].received, let repaired = digest.told[place].repaired
      else { continue }
      let before = own[place].pattern.total
      own[place].pattern.add(
        received: received, repaired: repaired, bytes: bytes, nowNanoseconds: nowNanoseconds)
      remotePattern.add(
        own[place].pattern.total - before, of: own[place].pattern, nowNanoseconds: nowNanoseconds)
      events.insert(.lossesTold)
    }
    if let proof {
      if !isConfirmed { events.insert(.confirmed) }
      isConfirmed = true
      if let nanoseconds = proof.roundTripNanoseconds { addRoundTrip(nanoseconds) }
    }
    return events
  }

  /// Takes the echo of a reference time of this session in a compound that came another way.
  ///
  /// Only for a compound that is the remote's beyond doubt (encrypted): a node with several addresses answers by the
  /// one that its kernel chooses, whichever it was asked by.
  /// It proves that what is sent to this session's address arrives.
  ///
  /// - Returns: whether there was one.
  public func confirm(byEchoIn bytes: RawSpan, nowNanoseconds: Int64) -> Bool {
    guard let digest = try? CompoundDigest(parsing: bytes, for: ownSSRCs), !digest.isLeaving,
      digest.sender != ssrc, remoteSSRC == nil || remoteSSRC == digest.sender,
      let proof = proof(in: digest, nowNanoseconds: nowNanoseconds)
    else { return false }
    hear(digest.sender)
    isConfirmed = true
    if let range = digest.canonicalName { _ = canonicalName.update(from: range, of: bytes) }
    if let range = digest.name { _ = name.update(from: range, of: bytes) }
    if let nanoseconds = proof.roundTripNanoseconds { addRoundTrip(nanoseconds) }
    return true
  }

  /// Takes the remote for gone, as after its BYE: whoever is heard next is `firstHeard` and has to
  /// be confirmed.
  public func forgetRemote() {
    remote = nil
    isConfirmed = false
    roundTrip = nil
    lastReceiverReference = nil
    for place in own.indices { own[place].forgetRemote() }
    remotePattern = LossPattern()
    for place in others.indices {
      others[place] = HeardStream(ssrc: others[place].ssrc, clockRate: clockRate)
    }
  }

  /// Takes an SSRC for the remote's base stream; one known for that goes on.
  private func hear(_ ssrc: SSRC) {
    guard remote?.ssrc != ssrc else { return }
    remote = HeardStream(ssrc: ssrc, clockRate: clockRate)
  }

  private func proof(
    in digest: CompoundDigest, nowNanoseconds: Int64
  ) -> SentReferenceTimes.Proof? {
    // The echo of a reference time, where there is one, is newer than that of a sender report.
    if let echo = digest.echo,
      let proof = sent.proof(
        echoing: echo.lastRR, delay: echo.delaySinceLastRR, nowNanoseconds: nowNanoseconds)
    {
      return proof
    }
    guard let block = digest.told[0].block else { return nil }
    return sent.proof(
      echoing: block.lastSR, delay: block.delaySinceLastSR, nowNanoseconds: nowNanoseconds)
  }

  /// Whether a compound of our SSRC is our own come back: the CNAME cannot be guessed.
  private func isOurs(_ digest: CompoundDigest, of bytes: RawSpan) -> Bool {
    guard let range = digest.canonicalName, range.count == localCanonicalName.count else {
      return false
    }
    return localCanonicalName.indices.allSatisfy { index in
      unsafe bytes.unsafeLoad(
        fromByteOffset: range.lowerBound + index, as: UInt8.self) == localCanonicalName[index]
    }
  }

  /// Decides whether the compound is the remote's, or its sender takes the remote's place; nil: a
  /// stranger, who gets an answer that he can prove himself with and is otherwise ignored.
  private func admit(
    _ digest: CompoundDigest, of bytes: RawSpan, isProven: Bool, nowNanoseconds: Int64
  ) -> ReportEvents? {
    let isSameName =
      canonicalName.isEmpty
      || digest.canonicalName.map { canonicalName.isEqual(to: $0, of: bytes) } ?? true
    if digest.sender == remoteSSRC && isSameName { return [] }
    schedule.answer(nowNanoseconds: nowNanoseconds, isProven: isProven)
    guard remoteSSRC != nil else {
      hear(digest.sender)
      return .firstHeard
    }
    guard !isConfirmed || isProven,
      nowNanoseconds - replacedNanoseconds >= Self.replacementNanoseconds
    else { return nil }
    replacedNanoseconds = nowNanoseconds
    forgetRemote()
    hear(digest.sender)
    return .restarted
  }

  private func note(_ digest: CompoundDigest, nowNanoseconds: Int64) {
    if let info = digest.senderInfo {
      remote?.lastSenderReport = ReceivedReference(
        middleBits: info.ntp.middleBits, arrivalNanoseconds: nowNanoseconds)
    }
    for place in others.indices {
      guard let info = digest.senderInfo(of: others[place].ssrc) else { continue }
      others[place].lastSenderReport = ReceivedReference(
        middleBits: info.ntp.middleBits, arrivalNanoseconds: nowNanoseconds)
    }
    if let time = digest.referenceTime {
      lastReceiverReference = ReceivedReference(
        middleBits: time.middleBits, arrivalNanoseconds: nowNanoseconds)
    }
    for place in own.indices {
      guard let block = digest.told[place].block else { continue }
      own[place].reception = RemoteReception(
        fractionLost: block.fractionLost, cumulativeLost: block.cumulativeLost,
        jitterNanoseconds: Int64(block.jitter) * 1_000_000_000 / Int64(clockRate))
    }
  }

  private func addRoundTrip(_ nanoseconds: Int64) {
    if roundTrip == nil {
      roundTrip = RoundTripTime(firstNanoseconds: nanoseconds)
    } else {
      roundTrip?.add(nanoseconds: nanoseconds)
    }
  }

  /// As many whole characters as an SDES item holds.
  private static func octets(of text: String) -> [UInt8] {
    var octets: [UInt8] = []
    for character in text {
      let encoded = String(character).utf8
      guard octets.count + encoded.count <= 255 else { break }
      octets.append(contentsOf: encoded)
    }
    return octets
  }
}

/// Streams beside the base streams: rare, and may allocate.
extension PeerReports {
  /// Sends this remote a stream of ours from now on.
  ///
  /// - Returns: false for one more than ``ReportedStreams/limit``, or one that is there already.
  @discardableResult
  public func open(_ ssrc: SSRC) -> Bool {
    guard own.count < ReportedStreams.limit, !ownSSRCs.contains(ssrc) else { return false }
    own.append(OwnStream(ssrc: ssrc))
    ownSSRCs.append(ssrc)
    return true
  }

  /// Does so no more; our base stream stays.
  public func close(_ ssrc: SSRC) {
    guard ssrc != self.ssrc else { return }
    own.removeAll { $0.ssrc == ssrc }
    ownSSRCs.removeAll { $0 == ssrc }
  }

  /// Takes a stream for one of the remote's from now on.
  ///
  /// - Returns: false for one more than ``ReportedStreams/limit``, or one that is there already.
  @discardableResult
  public func expect(_ ssrc: SSRC) -> Bool {
    guard others.count < ReportedStreams.limit - 1, !others.contains(where: { $0.ssrc == ssrc })
    else { return false }
    others.append(HeardStream(ssrc: ssrc, clockRate: clockRate))
    return true
  }

  /// Does so no more; the remote's base stream stays.
  public func forget(_ ssrc: SSRC) { others.removeAll { $0.ssrc == ssrc } }

  /// The share of one of our streams that the remote lost since the report before, in 1/256: of the worst; nil: it told
  /// of none.
  public var worstFractionLost: UInt8? { own.compactMap { $0.reception?.fractionLost }.max() }

  /// How the remote receives a stream of ours; nil: it did not report, or there is none.
  public func remoteReception(of ssrc: SSRC) -> RemoteReception? {
    own.first { $0.ssrc == ssrc }?.reception
  }

  /// How the remote received the last packets of a stream of ours, one by one; nil: there is none.
  public func remotePattern(of ssrc: SSRC) -> LossPattern? {
    own.first { $0.ssrc == ssrc }?.pattern
  }

  /// How we receive a stream of the remote's; nil: there is none.
  public func reception(of ssrc: SSRC) -> ReceptionStatistics? {
    remote?.ssrc == ssrc ? remote?.reception : others.first { $0.ssrc == ssrc }?.reception
  }
}
