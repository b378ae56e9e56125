import RTP

/// The contents of one RTCP compound for us: its sender's report, names and BYE, and what it says of our streams.
///
/// Chunks of other sources are passed over, and all but the sender information in their reports.
struct CompoundDigest {
  /// What the sender tells of a stream of ours.
  struct Told {
    var block: ReportBlock?
    var received: LossRuns?
    var repaired: LossRuns?
  }

  private(set) var sender = SSRC(rawValue: 0)
  private(set) var senderInfo: SenderInfo?
  /// In the order of our streams.
  private(set) var told = InlineArray<24, Told>(repeating: Told())
  private(set) var referenceTime: NTPTimestamp?
  /// The echo of a reference time of our base stream.
  private(set) var echo: ExtendedReport.Echo?
  private(set) var canonicalName: Range<Int>?
  private(set) var name: Range<Int>?
  private(set) var isLeaving = false
  private var hasSender = false
  /// Sender reports of the sender's further streams; of more than there may be the first.
  private var others = InlineArray<8, (ssrc: SSRC, info: SenderInfo)?>(repeating: nil)
  private var otherCount = 0

  /// Digests `bytes` on behalf of our streams, the base stream first.
  ///
  /// Allocates nothing.
  init(parsing bytes: RawSpan, for own: [SSRC]) throws(RTPParseError) {
    var digest = CompoundDigest()
    try RTCPCompound.forEachPacket(in: bytes) { packet in
      digest.add(packet, of: bytes, for: own)
    }
    self = digest
  }

  private init() { precondition(told.count == ReportedStreams.limit) }

  /// The sender information of a further stream of the sender's.
  func senderInfo(of ssrc: SSRC) -> SenderInfo? {
    for place in 0..<otherCount {
      if let other = others[place], other.ssrc == ssrc { return other.info }
    }
    return nil
  }

  private mutating func add(_ packet: RTCPPacket, of bytes: RawSpan, for own: [SSRC]) {
    switch packet {
    case .senderReport(let ssrc, let info, let blocks):
      guard isSender(ssrc) else { return add(info, of: ssrc) }
      senderInfo = info
      add(blocks, of: bytes, for: own)
    case .receiverReport(let ssrc, let blocks):
      guard isSender(ssrc) else { return }
      add(blocks, of: bytes, for: own)
    case .sourceDescription(let description):
      guard let chunk = description.chunk(on: sender, in: bytes) else { return }
      canonicalName = chunk.canonicalName
      name = chunk.name
    case .bye(let goodbye):
      isLeaving = isLeaving || goodbye.contains(sender, in: bytes)
    case .extendedReport(let report):
      guard isSender(report.ssrc) else { return }
      referenceTime = report.referenceTime ?? referenceTime
      echo = echo ?? own.first.flatMap { report.echo(to: $0, in: bytes) }
      for place in own.indices {
        told[place].received =
          told[place].received ?? report.lossRuns(.received, of: own[place], in: bytes)
        told[place].repaired =
          told[place].repaired ?? report.lossRuns(.repaired, of: own[place], in: bytes)
      }
    case .genericNACK, .other:
      break
    }
  }

  private mutating func add(_ blocks: ReportBlocks, of bytes: RawSpan, for own: [SSRC]) {
    for place in own.indices {
      told[place].block = told[place].block ?? blocks.block(on: own[place], in: bytes)
    }
  }

  private mutating func add(_ info: SenderInfo, of ssrc: SSRC) {
    guard otherCount < others.count else { return }
    others[otherCount] = (ssrc, info)
    otherCount += 1
  }

  /// The first report of a compound names its sender.
  private mutating func isSender(_ ssrc: SSRC) -> Bool {
    if !hasSender {
      hasSender = true
      sender = ssrc
    }
    return ssrc == sender
  }
}

/// An SDES text of the remote.
///
/// The string is made anew only when the octets change.
struct ReceivedText {
  /// The text, with U+FFFD where the octets are not UTF-8.
  ///
  /// Not cleaned of control characters.
  private(set) var text = ""
  private var octets: [UInt8] = []

  init() {
    octets.reserveCapacity(255)
  }

  var isEmpty: Bool { octets.isEmpty }

  func isEqual(to range: Range<Int>, of bytes: RawSpan) -> Bool {
    guard range.count == octets.count else { return false }
    for index in octets.indices where octets[index] != Self.octet(range.lowerBound + index, bytes) {
      return false
    }
    return true
  }

  /// Takes the octets in `range`; whether they are other than before.
  mutating func update(from range: Range<Int>, of bytes: RawSpan) -> Bool {
    guard !isEqual(to: range, of: bytes) else { return false }
    octets.removeAll(keepingCapacity: true)
    for index in range { octets.append(Self.octet(index, bytes)) }
    text = String(decoding: octets, as: UTF8.self)
    return true
  }

  private static func octet(_ offset: Int, _ bytes: RawSpan) -> UInt8 {
    unsafe bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
  }
}
