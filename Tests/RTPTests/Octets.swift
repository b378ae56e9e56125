@testable import RTP

/// Octets written as hexadecimal digits; everything else in the text is for the reader.
func octets(_ hexadecimal: String) -> [UInt8] {
  let digits = hexadecimal.compactMap { $0.hexDigitValue.map(UInt8.init) }
  precondition(digits.count % 2 == 0)
  return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}

func parse(_ bytes: [UInt8]) throws(RTPParseError) -> RTPPacket {
  try RTPPacket(parsing: bytes.raw)
}

func parseCompound(_ bytes: [UInt8]) throws(RTPParseError) -> [RTCPPacket] {
  var packets: [RTCPPacket] = []
  try RTCPCompound.forEachPacket(in: bytes.raw) { packets.append($0) }
  return packets
}

/// The same where feedback may stand alone.
func parseFeedback(_ bytes: [UInt8]) throws(RTPParseError) -> [RTCPPacket] {
  var packets: [RTCPPacket] = []
  try RTCPCompound.forEachPacket(in: bytes.raw, allowsReducedSize: true) { packets.append($0) }
  return packets
}

func write(_ header: RTPHeader, capacity: Int = RTPHeader.maximumByteCount) -> [UInt8] {
  var bytes = [UInt8](repeating: 0xEE, count: capacity)
  let count = {
    var span = bytes.mutableSpan
    var raw = unsafe span.mutableBytes
    return header.write(into: &raw)
  }()
  return Array(bytes.prefix(count))
}

/// Writes a compound by `body` into `capacity` octets and returns what is to be sent.
func compound(
  capacity: Int = 1500, _ body: (inout RTCPCompoundWriter, inout MutableRawSpan) -> Void
) -> [UInt8] {
  var bytes = [UInt8](repeating: 0xEE, count: capacity)
  var writer = RTCPCompoundWriter()
  do {
    var span = bytes.mutableSpan
    var raw = unsafe span.mutableBytes
    body(&writer, &raw)
  }
  return Array(bytes.prefix(writer.byteCount))
}

func text(_ range: Range<Int>?, of bytes: [UInt8]) -> String? {
  range.map { String(decoding: bytes[$0], as: UTF8.self) }
}

extension [UInt8] {
  /// The octets as parsers take them.
  var raw: RawSpan {
    @_lifetime(borrow self)
    get { unsafe span.bytes }
  }
}
