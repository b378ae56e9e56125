/// Feedback and detail on losses.
extension RTCPCompoundWriter {
  /// Adds a generic NACK, or begins with it: alone in a datagram it is a reduced-size compound
  /// (RFC 5506 §3.4.1); nothing when `lost` is empty (RFC 4585 §6.2.1).
  ///
  /// `lost` ascends.
  public mutating func genericNACK(
    from sender: SSRC, of source: SSRC, lost: Span<SequenceNumber>,
    into bytes: inout MutableRawSpan
  ) {
    guard !lost.isEmpty else { return }
    let bodyBytes = 8 + GenericNACK.entryBytes * GenericNACK.entryCount(lost)
    guard
      var offset = begin(
        RTCPPacket.PacketType.transportFeedback, count: UInt8(GenericNACK.format),
        bodyBytes: bodyBytes, into: &bytes)
    else { return }
    bytes.store(sender.rawValue, at: offset)
    bytes.store(source.rawValue, at: offset + 4)
    offset += 8
    var index = 0
    while index < lost.count {
      let end = GenericNACK.end(ofEntryAt: index, lost)
      var mask: UInt16 = 0
      for next in (index + 1)..<max(end, index + 1) {
        mask |= 1 << UInt16(lost[index].distance(to: lost[next]) - 1)
      }
      bytes.store(lost[index].rawValue, at: offset)
      bytes.store(mask, at: offset + 2)
      offset += GenericNACK.entryBytes
      index = end
    }
  }

  /// Adds an XR with a block on which packets of a stream were good; nothing when `count` is 0
  /// (RFC 3611 §4.1, RFC 5725 §3).
  ///
  /// - Parameters:
  ///   - begin: the first packet reported on.
  ///   - count: how many from it on, at most `LossRuns.mostPackets`.
  ///   - isGood: asked for 0..<count.
  public mutating func lossRuns(
    _ kind: LossRuns.Kind, from reporter: SSRC, of source: SSRC, begin first: SequenceNumber,
    count: Int, into bytes: inout MutableRawSpan, isGood: (Int) -> Bool
  ) {
    guard count > 0 else { return }
    precondition(count <= LossRuns.mostPackets)
    let chunkBytes = 2 * LossRuns.chunkCount(count, isGood: isGood)
    let contentBytes = LossRuns.leastContentBytes + chunkBytes
    guard
      var offset = begin(
        RTCPPacket.PacketType.extendedReport, count: 0, bodyBytes: 8 + contentBytes, into: &bytes)
    else { return }
    let end = offset + 8 + contentBytes
    bytes.store(reporter.rawValue, at: offset)
    bytes.store(UInt32(kind.rawValue) << 24 | UInt32(contentBytes / 4), at: offset + 4)
    bytes.store(source.rawValue, at: offset + 8)
    bytes.store(first.rawValue, at: offset + 12)
    bytes.store(first.advanced(by: count).rawValue, at: offset + 14)
    offset += 16
    var index = 0
    while index < count {
      let (chunk, packets) = LossRuns.chunk(at: index, of: count, isGood: isGood)
      bytes.store(chunk, at: offset)
      offset += 2
      index += packets
    }
    if offset < end { bytes.store(0 as UInt16, at: offset) }
  }
}
