/// Reception of one source, as reported by its receiver (RFC 3550 §6.4.1).
public struct ReportBlock: Hashable, Sendable {
  /// The source reported on.
  public var ssrc: SSRC
  /// Share of the packets lost since the last report, in 1/256.
  public var fractionLost: UInt8
  /// Packets lost since reception began; negative when duplicates outnumber losses.
  ///
  /// The wire has 24 bits: writing moves it into -8388608...8388607.
  public var cumulativeLost: Int
  /// The highest sequence number received, with the count of its wraps in the upper half.
  public var highestSequence: UInt32
  /// Interarrival jitter in units of the media clock.
  public var jitter: UInt32
  /// The middle bits of the source's last sender report's time stamp; 0: none came yet.
  public var lastSR: UInt32
  /// From the arrival of that report to this block, in 1/65536 s; 0: none came yet.
  public var delaySinceLastSR: UInt32

  /// Octets on the wire.
  static let byteCount = 24

  /// Makes a block from its fields.
  public init(
    ssrc: SSRC, fractionLost: UInt8, cumulativeLost: Int, highestSequence: UInt32, jitter: UInt32,
    lastSR: UInt32, delaySinceLastSR: UInt32
  ) {
    self.ssrc = ssrc
    self.fractionLost = fractionLost
    self.cumulativeLost = cumulativeLost
    self.highestSequence = highestSequence
    self.jitter = jitter
    self.lastSR = lastSR
    self.delaySinceLastSR = delaySinceLastSR
  }

  init(at offset: Int, in bytes: RawSpan) {
    ssrc = SSRC(rawValue: bytes.uint32(at: offset))
    let loss = bytes.uint32(at: offset + 4)
    fractionLost = UInt8(truncatingIfNeeded: loss >> 24)
    // Shifted up and down again, the 24-bit sign spreads.
    cumulativeLost = Int(Int32(bitPattern: loss << 8) >> 8)
    highestSequence = bytes.uint32(at: offset + 8)
    jitter = bytes.uint32(at: offset + 12)
    lastSR = bytes.uint32(at: offset + 16)
    delaySinceLastSR = bytes.uint32(at: offset + 20)
  }

  func write(at offset: Int, into bytes: inout MutableRawSpan) {
    let lost = max(-0x80_0000, min(0x7F_FFFF, cumulativeLost))
    bytes.store(ssrc.rawValue, at: offset)
    bytes.store(
      UInt32(fractionLost) << 24 | UInt32(truncatingIfNeeded: lost) & 0xFF_FFFF, at: offset + 4)
    bytes.store(highestSequence, at: offset + 8)
    bytes.store(jitter, at: offset + 12)
    bytes.store(lastSR, at: offset + 16)
    bytes.store(delaySinceLastSR, at: offset + 20)
  }
}

/// The report blocks of one report, read on demand from the bytes they were parsed in.
public struct ReportBlocks: Hashable, Sendable {
  /// Most blocks of one report (RFC 3550 §6.4.1).
  public static let limit = 31

  /// How many blocks there are, 0...31.
  public let count: Int
  private let start: Int

  init(count: Int, start: Int) {
    self.count = count
    self.start = start
  }

  /// The block at `index`; nil outside 0..<count or of other bytes that are too short.
  public func block(at index: Int, in bytes: RawSpan) -> ReportBlock? {
    guard index >= 0, index < count else { return nil }
    let offset = start + index * ReportBlock.byteCount
    guard offset + ReportBlock.byteCount <= bytes.byteCount else { return nil }
    return ReportBlock(at: offset, in: bytes)
  }

  /// The first block on `ssrc`.
  public func block(on ssrc: SSRC, in bytes: RawSpan) -> ReportBlock? {
    for index in 0..<count {
      if let block = block(at: index, in: bytes), block.ssrc == ssrc { return block }
    }
    return nil
  }
}
