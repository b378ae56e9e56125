public import RTP

/// Outgoing reports and BYE.
extension PeerReports {
  /// Writes the report that is due and sets the moment of the next.
  ///
  /// From each of our streams an SR when RTP went out since the report before the last (RFC 3550 §6.4); from the base
  /// stream else an RR with a reference time of its own (RFC 3611 §4.4). The blocks on the remote's streams stand in
  /// the base stream's. Of many streams either way some have their turn, the base streams always.
  /// Then SDES, with a NAME for the base stream only, and losses as far as there is room:
  /// those of the streams left out come first in the next report.
  /// - Parameters:
  ///   - sender: what was sent of a stream of ours; asked once for each.
  ///   - losses: how the remote's packets of a stream fared since it was asked last.
  /// - Returns: octets of the datagram; 0 when it does not fit (1200 are always enough).
  public func makeReport(
    nowNanoseconds: Int64, into bytes: inout MutableRawSpan,
    sender: (SSRC) -> SenderCounters, losses: (SSRC) -> LossReport?
  ) -> Int {
    let referenceTime = clockOrigin.advanced(byNanoseconds: nowNanoseconds)
    schedule.didReport(nowNanoseconds: nowNanoseconds)
    var writer = RTCPCompoundWriter()
    let info = own[0].senderInfo(sender(ssrc), at: referenceTime)
    writer.report(from: ssrc, info: info, into: &bytes)
    writeBlocks(by: &writer, nowNanoseconds: nowNanoseconds, into: &bytes)
    let senders = writeSenders(at: referenceTime, by: &writer, into: &bytes, sender: sender)
    let (canonicalName, name) = (localCanonicalName, localName)
    writer.sourceDescription(
      of: ssrc, canonicalName: canonicalName.span, name: name.span, into: &bytes)
    for place in own.indices.dropFirst() where senders & 1 << UInt32(place) != 0 {
      writer.ifItFits {
        $0.sourceDescription(
          of: own[place].ssrc, canonicalName: canonicalName.span, name: Span(), into: &bytes)
      }
    }
    writer.extendedReport(
      from: ssrc, referenceTime: info == nil ? referenceTime : nil,
      echo: makeEcho(nowNanoseconds: nowNanoseconds), into: &bytes)
    writeLosses(by: &writer, into: &bytes, losses)
    if writer.byteCount > 0 { sent.note(referenceTime, sentNanoseconds: nowNanoseconds) }
    return writer.byteCount
  }

  /// The same of a session whose ends have a base stream each and no other.
  public func makeReport(
    sender: SenderCounters, losses: LossReport? = nil, nowNanoseconds: Int64,
    into bytes: inout MutableRawSpan
  ) -> Int {
    makeReport(
      nowNanoseconds: nowNanoseconds, into: &bytes, sender: { _ in sender }, losses: { _ in losses }
    )
  }

  /// Blocks on the remote's streams that brought media.
  private func writeBlocks(
    by writer: inout RTCPCompoundWriter, nowNanoseconds: Int64, into bytes: inout MutableRawSpan
  ) {
    if let block = remote?.makeBlock(nowNanoseconds: nowNanoseconds) {
      writer.add(block, into: &bytes)
    }
    guard remote != nil else { return }
    var count = 1
    turn.blocks = ReportTurn.go(from: turn.blocks, round: others.count) { place in
      guard count < ReportedStreams.ofReport else { return false }
      if let block = others[place].makeBlock(nowNanoseconds: nowNanoseconds) {
        writer.add(block, into: &bytes)
        count += 1
      }
      return true
    }
  }

  /// Sender reports of our further streams: a bit for each place that has one.
  private func writeSenders(
    at referenceTime: NTPTimestamp, by writer: inout RTCPCompoundWriter,
    into bytes: inout MutableRawSpan, sender: (SSRC) -> SenderCounters
  ) -> UInt32 {
    var places: UInt32 = 0
    turn.senders = ReportTurn.go(from: turn.senders, round: own.count - 1) { further in
      guard places.nonzeroBitCount < ReportedStreams.ofReport - 1 else { return false }
      let ssrc = own[further + 1].ssrc
      if let info = own[further + 1].senderInfo(sender(ssrc), at: referenceTime) {
        writer.report(from: ssrc, info: info, into: &bytes)
        places |= 1 << UInt32(further + 1)
      }
      return true
    }
    return places
  }

  private func writeLosses(
    by writer: inout RTCPCompoundWriter, into bytes: inout MutableRawSpan,
    _ losses: (SSRC) -> LossReport?
  ) {
    guard let remote else { return }
    turn.losses = ReportTurn.go(from: turn.losses, round: 1 + others.count) { place in
      let ssrc = place == 0 ? remote.ssrc : others[place - 1].ssrc
      guard let report = losses(ssrc) else { return true }
      return writer.ifItFits { write(report, of: ssrc, by: &$0, into: &bytes) }
    }
  }

  /// Writes our BYE; send it once or twice, then nothing.
  ///
  /// - Returns: octets of the datagram; 0 when it does not fit.
  public func makeBye(into bytes: inout MutableRawSpan) -> Int {
    var writer = RTCPCompoundWriter()
    writer.report(from: ssrc, info: nil, block: nil, into: &bytes)
    let canonicalName = localCanonicalName
    writer.sourceDescription(
      of: ssrc, canonicalName: canonicalName.span, name: Span(), into: &bytes)
    writer.bye(of: ssrc, into: &bytes)
    return writer.byteCount
  }

  /// The echo of the remote's reference time, once each.
  private func makeEcho(nowNanoseconds: Int64) -> ExtendedReport.Echo? {
    guard let remoteSSRC, let reference = lastReceiverReference else { return nil }
    lastReceiverReference = nil
    return ExtendedReport.Echo(
      ssrc: remoteSSRC, lastRR: reference.middleBits,
      delaySinceLastRR: reference.delay(nowNanoseconds: nowNanoseconds))
  }
}

/// Feedback on single packets: loss reports and NACKs.
extension PeerReports {
  /// Writes a NACK for packets of a stream of the remote's, its base stream where none is named, alone in its datagram
  /// (RFC 4585 §6.2.1, RFC 5506); `missed` ascends.
  ///
  /// - Returns: octets of the datagram; 0 without a remote or a missing packet.
  public func makeRequest(
    for missed: Span<SequenceNumber>, of source: SSRC? = nil, into bytes: inout MutableRawSpan
  ) -> Int {
    guard let remoteSSRC else { return 0 }
    var writer = RTCPCompoundWriter()
    writer.genericNACK(from: ssrc, of: source ?? remoteSSRC, lost: missed, into: &bytes)
    return writer.byteCount
  }

  /// Takes feedback that came from the remote's address without a report in front (RFC 5506): calls
  /// `resend` with each packet of a stream of ours that the remote asks for, at most `limit` of them.
  ///
  /// - Throws: why it is invalid; then nothing of it was believed.
  public func handleFeedback(
    _ bytes: RawSpan, limit: Int, resend: (SSRC, SequenceNumber) -> Void
  ) throws(RTPParseError) {
    let remoteSSRC = remoteSSRC
    var left = limit
    try RTCPCompound.forEachPacket(in: bytes, allowsReducedSize: true) { packet in
      guard case .genericNACK(let nack) = packet, nack.sender == remoteSSRC,
        ownSSRCs.contains(nack.source)
      else { return }
      nack.forEachLost(in: bytes, limit: left) { number in
        left -= 1
        resend(nack.source, number)
      }
    }
  }

  /// The same where the remote is sent the base stream and no other.
  public func handleFeedback(
    _ bytes: RawSpan, limit: Int, resend: (SequenceNumber) -> Void
  ) throws(RTPParseError) {
    let ssrc = ssrc
    try handleFeedback(bytes, limit: limit) { source, number in
      if source == ssrc { resend(number) }
    }
  }

  /// Writes the reception of the remote's packets (RFC 3611 §4.1, RFC 5725).
  func write(
    _ losses: LossReport, of source: SSRC, by writer: inout RTCPCompoundWriter,
    into bytes: inout MutableRawSpan
  ) {
    writer.lossRuns(
      .received, from: ssrc, of: source, begin: losses.begin, count: losses.count, into: &bytes
    ) { losses.came($0) }
    writer.lossRuns(
      .repaired, from: ssrc, of: source, begin: losses.begin, count: losses.count, into: &bytes
    ) { losses.heard($0) }
  }
}
