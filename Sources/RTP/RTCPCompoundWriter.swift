/// Writes an RTCP compound packet by packet (RFC 3550 §6).
///
/// Begin with `report`, add a `sourceDescription`, then the rest; pass the same `bytes` each time
/// and send its first `byteCount` octets. What does not fit into `bytes` or into
/// `RTCPCompound.maximumByteCount` is not written and makes `byteCount` 0 for good.
/// Any thread; allocates nothing.
public struct RTCPCompoundWriter: Sendable {
  private var end = 0
  private var hasOverflowed = false
  /// Where the report begins that blocks may be added to, and how many it has.
  private var lastReport: (start: Int, blocks: Int)?
  /// Where the SDES begins that chunks may be added to, and how many it has.
  private var lastDescription: (start: Int, chunks: Int)?

  /// Makes a writer at the start of its bytes.
  public init() {}

  /// Octets of the compound so far; 0 when something did not fit.
  public var byteCount: Int { hasOverflowed ? 0 : end }

  /// Adds what may be left out: where `add` does not fit, the compound stays as it was.
  ///
  /// - Returns: whether it fitted.
  @discardableResult
  public mutating func ifItFits(_ add: (inout RTCPCompoundWriter) -> Void) -> Bool {
    let before = self
    add(&self)
    guard hasOverflowed, !before.hasOverflowed else { return !hasOverflowed }
    self = before
    return false
  }

  /// Adds an SR, or an RR where there is no sender information (§6.4); `add(_:into:)` adds more blocks to it.
  public mutating func report(
    from ssrc: SSRC, info: SenderInfo?, block: ReportBlock? = nil, into bytes: inout MutableRawSpan
  ) {
    let infoBytes = info == nil ? 0 : SenderInfo.byteCount
    let type =
      info == nil ? RTCPPacket.PacketType.receiverReport : RTCPPacket.PacketType.senderReport
    guard let start = begin(type, count: 0, bodyBytes: 4 + infoBytes, into: &bytes) else { return }
    bytes.store(ssrc.rawValue, at: start)
    info?.write(at: start + 4, into: &bytes)
    lastReport = (start - 4, 0)
    if let block { add(block, into: &bytes) }
  }

  /// Adds a block to the report added just before, of which it is the next of 31 at most (§6.4.1).
  public mutating func add(_ block: ReportBlock, into bytes: inout MutableRawSpan) {
    guard let report = lastReport, report.blocks < ReportBlocks.limit,
      let place = extend(report.start, by: ReportBlock.byteCount, into: &bytes)
    else {
      hasOverflowed = true
      return
    }
    block.write(at: place, into: &bytes)
    let first = bytes.bytes.octet(at: report.start)
    bytes.store(first & 0xE0 | UInt8(report.blocks + 1), at: report.start)
    lastReport = (report.start, report.blocks + 1)
  }

  /// Adds an SDES with one chunk: CNAME, and NAME where it is not empty (§6.5); right behind another SDES
  /// a chunk to that, of 31 at most.
  ///
  /// Of each text the first 255 octets are sent.
  public mutating func sourceDescription(
    of ssrc: SSRC, canonicalName: Span<UInt8>, name: Span<UInt8>, into bytes: inout MutableRawSpan
  ) {
    let nameBytes = min(name.count, 255)
    let itemBytes = 2 + min(canonicalName.count, 255) + (nameBytes == 0 ? 0 : 2 + nameBytes)
    // At least one zero octet ends the items, more fill the word.
    let chunkBytes = (4 + itemBytes) / 4 * 4 + 4
    guard let start = beginChunk(chunkBytes, into: &bytes) else { return }
    bytes.store(ssrc.rawValue, at: start)
    bytes.store(0 as UInt32, at: start + chunkBytes - 4)
    var offset = start + 4
    offset = write(
      SourceDescription.Item.canonicalName, text: canonicalName, at: offset, into: &bytes)
    if nameBytes > 0 {
      offset = write(SourceDescription.Item.name, text: name, at: offset, into: &bytes)
    }
  }

  private mutating func beginChunk(_ chunkBytes: Int, into bytes: inout MutableRawSpan) -> Int? {
    if let last = lastDescription, last.chunks < SourceDescription.mostChunks {
      guard let place = extend(last.start, by: chunkBytes, into: &bytes) else { return nil }
      bytes.store(0x80 | UInt8(last.chunks + 1), at: last.start)
      lastDescription = (last.start, last.chunks + 1)
      return place
    }
    guard
      let place = begin(
        RTCPPacket.PacketType.sourceDescription, count: 1, bodyBytes: chunkBytes, into: &bytes)
    else { return nil }
    lastDescription = (place - 4, 1)
    return place
  }

  /// Adds an XR with a reference time, an echo of one, or both; nothing when it has neither
  /// (RFC 3611 §4.4, §4.5).
  public mutating func extendedReport(
    from ssrc: SSRC, referenceTime: NTPTimestamp?, echo: ExtendedReport.Echo?,
    into bytes: inout MutableRawSpan
  ) {
    guard referenceTime != nil || echo != nil else { return }
    let bodyBytes = 4 + (referenceTime == nil ? 0 : 12) + (echo == nil ? 0 : 16)
    guard
      let start = begin(
        RTCPPacket.PacketType.extendedReport, count: 0, bodyBytes: bodyBytes, into: &bytes)
    else { return }
    bytes.store(ssrc.rawValue, at: start)
    var offset = start + 4
    if let referenceTime {
      bytes.store(UInt32(ExtendedReport.BlockType.receiverReferenceTime) << 24 | 2, at: offset)
      bytes.store(referenceTime.rawValue, at: offset + 4)
      offset += 12
    }
    if let echo {
      bytes.store(
        UInt32(ExtendedReport.BlockType.delaySinceLastReceiverReport) << 24 | 3, at: offset)
      bytes.store(echo.ssrc.rawValue, at: offset + 4)
      bytes.store(echo.lastRR, at: offset + 8)
      bytes.store(echo.delaySinceLastRR, at: offset + 12)
    }
  }

  /// Adds a BYE of one source without a reason (§6.6).
  public mutating func bye(of ssrc: SSRC, into bytes: inout MutableRawSpan) {
    guard let start = begin(RTCPPacket.PacketType.bye, count: 1, bodyBytes: 4, into: &bytes) else {
      return
    }
    bytes.store(ssrc.rawValue, at: start)
  }

  /// Writes a packet's header and takes the room for its body: the body's offset, or nil when
  /// there is no room.
  mutating func begin(
    _ packetType: UInt8, count: UInt8, bodyBytes: Int, into bytes: inout MutableRawSpan
  ) -> Int? {
    let start = end + 4
    guard !hasOverflowed, start + bodyBytes <= min(bytes.byteCount, RTCPCompound.maximumByteCount)
    else {
      hasOverflowed = true
      return nil
    }
    bytes.store(0x80 | count, at: end)
    bytes.store(packetType, at: end + 1)
    bytes.store(UInt16(bodyBytes / 4), at: end + 2)
    end = start + bodyBytes
    (lastReport, lastDescription) = (nil, nil)
    return start
  }

  /// Takes more room for the packet added last, which begins at `start`: the offset of that room, or nil
  /// when there is none.
  private mutating func extend(
    _ start: Int, by byteCount: Int, into bytes: inout MutableRawSpan
  ) -> Int? {
    guard !hasOverflowed,
      end + byteCount <= min(bytes.byteCount, RTCPCompound.maximumByteCount)
    else {
      hasOverflowed = true
      return nil
    }
    defer { end += byteCount }
    bytes.store(UInt16((end + byteCount - start) / 4 - 1), at: start + 2)
    return end
  }

  private func write(
    _ item: UInt8, text: Span<UInt8>, at offset: Int, into bytes: inout MutableRawSpan
  ) -> Int {
    let count = min(text.count, 255)
    bytes.store(item, at: offset)
    bytes.store(UInt8(count), at: offset + 1)
    for index in 0..<count {
      bytes.store(text[index], at: offset + 2 + index)
    }
    return offset + 2 + count
  }
}

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
