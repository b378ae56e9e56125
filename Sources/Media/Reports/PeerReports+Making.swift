import RTP

/// What is said: reports and the farewell.
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

  /// Writes our farewell; send it once or twice, then no more.
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
