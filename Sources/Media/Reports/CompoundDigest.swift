import RTP

/// The contents of one RTCP compound for us: its sender's report, names and BYE, and its echo of us.
///
/// Packets and chunks of other sources are passed over.
struct CompoundDigest {
  private(set) var sender = SSRC(rawValue: 0)
  private(set) var senderInfo: SenderInfo?
  private(set) var block: ReportBlock?
  private(set) var referenceTime: NTPTimestamp?
  private(set) var echo: ExtendedReport.Echo?
  private(set) var received: LossRuns?
  private(set) var repaired: LossRuns?
  private(set) var canonicalName: Range<Int>?
  private(set) var name: Range<Int>?
  private(set) var isLeaving = false
  private var hasSender = false

  /// Digests `bytes` on behalf of the stream `local`.
  ///
  /// Allocates nothing.
  init(parsing bytes: RawSpan, for local: SSRC) throws(RTPParseError) {
    var digest = CompoundDigest()
    try RTCPCompound.forEachPacket(in: bytes) { packet in
      digest.add(packet, of: bytes, for: local)
    }
    self = digest
  }

  private init() {}

  private mutating func add(_ packet: RTCPPacket, of bytes: RawSpan, for local: SSRC) {
    switch packet {
    case .senderReport(let ssrc, let info, let blocks):
      guard isSender(ssrc) else { return }
      senderInfo = info
      block = block ?? blocks.block(on: local, in: bytes)
    case .receiverReport(let ssrc, let blocks):
      guard isSender(ssrc) else { return }
      block = block ?? blocks.block(on: local, in: bytes)
    case .sourceDescription(let description):
      guard let chunk = description.chunk(on: sender, in: bytes) else { return }
      canonicalName = chunk.canonicalName
      name = chunk.name
    case .bye(let goodbye):
      isLeaving = isLeaving || goodbye.contains(sender, in: bytes)
    case .extendedReport(let report):
      guard isSender(report.ssrc) else { return }
      referenceTime = report.referenceTime ?? referenceTime
      echo = echo ?? report.echo(to: local, in: bytes)
      received = received ?? report.lossRuns(.received, of: local, in: bytes)
      repaired = repaired ?? report.lossRuns(.repaired, of: local, in: bytes)
    case .genericNACK, .other:
      break
    }
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
