public import RTP

/// What is said of single packets: how they fared, and which are asked for.
extension PeerReports {
  /// Writes a request for packets of the remote, alone in its datagram (RFC 4585 §6.2.1, RFC 5506);
  /// `missed` ascends.
  ///
  /// - Returns: octets of the datagram; 0 when there is nobody to ask or nothing to ask for.
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

  /// Writes how the remote's packets fared (RFC 3611 §4.1, RFC 5725).
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
