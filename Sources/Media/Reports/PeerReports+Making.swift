public import RTP

/// Outgoing reports and BYE.
extension PeerReports {
  /// Writes the report that is due and sets the moment of the next.
  ///
  /// An SR when RTP went out since the report before the last (RFC 3550 §6.4), else an RR with a
  /// reference time of its own (RFC 3611 §4.4); then SDES with CNAME and NAME.
  /// - Parameter losses: how the remote's packets fared since the last report.
  /// - Returns: octets of the datagram; 0 when it does not fit (1200 are always enough).
  public func makeReport(
    sender: SenderCounters, losses: LossReport? = nil, nowNanoseconds: Int64,
    into bytes: inout MutableRawSpan
  ) -> Int {
    let referenceTime = clockOrigin.advanced(byNanoseconds: nowNanoseconds)
    var info: SenderInfo?
    if sender.packets != packetsAtReportBefore {
      info = SenderInfo(
        ntp: referenceTime, rtpTimestamp: sender.currentTimestamp,
        packetCount: UInt32(truncatingIfNeeded: sender.packets),
        octetCount: UInt32(truncatingIfNeeded: sender.payloadOctets))
    }
    packetsAtReportBefore = packetsAtLastReport
    packetsAtLastReport = sender.packets
    schedule.didReport(nowNanoseconds: nowNanoseconds)

    var writer = RTCPCompoundWriter()
    writer.report(
      from: ssrc, info: info, block: makeBlock(nowNanoseconds: nowNanoseconds), into: &bytes)
    let (canonicalName, name) = (localCanonicalName, localName)
    writer.sourceDescription(
      of: ssrc, canonicalName: canonicalName.span, name: name.span, into: &bytes)
    writer.extendedReport(
      from: ssrc, referenceTime: info == nil ? referenceTime : nil,
      echo: makeEcho(nowNanoseconds: nowNanoseconds), into: &bytes)
    if let losses, let remoteSSRC { write(losses, of: remoteSSRC, by: &writer, into: &bytes) }
    if writer.byteCount > 0 { sent.note(referenceTime, sentNanoseconds: nowNanoseconds) }
    return writer.byteCount
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

  /// A block on the remote once it sent media or said that it does (§6.4.1).
  private func makeBlock(nowNanoseconds: Int64) -> ReportBlock? {
    guard let remoteSSRC, reception.isValid || lastSenderReport != nil else { return nil }
    return reception.makeBlock(
      on: remoteSSRC, lastSR: lastSenderReport?.middleBits ?? 0,
      delaySinceLastSR: lastSenderReport?.delay(nowNanoseconds: nowNanoseconds) ?? 0)
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
  /// Writes a NACK for packets of the remote, alone in its datagram (RFC 4585 §6.2.1, RFC 5506);
  /// `missed` ascends.
  ///
  /// - Returns: octets of the datagram; 0 without a remote or a missing packet.
  public func makeRequest(
    for missed: Span<SequenceNumber>, into bytes: inout MutableRawSpan
  ) -> Int {
    guard let remoteSSRC else { return 0 }
    var writer = RTCPCompoundWriter()
    writer.genericNACK(from: ssrc, of: remoteSSRC, lost: missed, into: &bytes)
    return writer.byteCount
  }

  /// Takes feedback that came from the remote's address without a report in front (RFC 5506): calls
  /// `resend` with each packet of ours that the remote asks for, at most `limit` of them.
  ///
  /// - Throws: why it is invalid; then nothing of it was believed.
  public func handleFeedback(
    _ bytes: RawSpan, limit: Int, resend: (SequenceNumber) -> Void
  ) throws(RTPParseError) {
    let (ssrc, remoteSSRC) = (ssrc, remoteSSRC)
    var left = limit
    try RTCPCompound.forEachPacket(in: bytes, allowsReducedSize: true) { packet in
      guard case .genericNACK(let nack) = packet, nack.sender == remoteSSRC, nack.source == ssrc
      else { return }
      nack.forEachLost(in: bytes, limit: left) { number in
        left -= 1
        resend(number)
      }
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
