/// Reads how long an Opus packet sounds from its table of contents, without decoding it.
public enum OpusTOC {
  /// The most audio one packet may hold: 120 ms (RFC 6716 §3.4, R5), in 48 kHz frames.
  public static let maximumFrameCount = 5760

  /// PCM frames at 48 kHz in the packet, 120...5760, or nil when it breaks a rule of RFC 6716 §3.4.
  ///
  /// Any thread; allocates nothing, never traps.
  public static func frameCount(payload: RawSpan) -> Int? {
    guard payload.byteCount >= 1 else { return nil }  // R1
    let toc = payload.octet(at: 0)
    let perFrame = codecFrameCount(toc: toc)
    let rest = 1..<payload.byteCount
    switch toc & 3 {
    case 0:
      return rest.count <= maximumCodedBytes ? perFrame : nil  // R2
    case 1:
      return rest.count % 2 == 0 && rest.count / 2 <= maximumCodedBytes ? 2 * perFrame : nil  // R3
    case 2:
      return isValidPair(rest, in: payload) ? 2 * perFrame : nil  // R4
    default:
      guard let count = signalledCount(rest, in: payload), count * perFrame <= maximumFrameCount
      else { return nil }  // R5
      return count * perFrame
    }
  }

  /// Whether the packet's frames are coded by the speech mode, alone or below 8 kHz (RFC 6716 §3.1, table 2).
  public static func isSpeech(payload: RawSpan) -> Bool {
    payload.byteCount >= 1 && payload.octet(at: 0) >> 3 < 16
  }

  /// Whether the packet's frames have two channels (RFC 6716 §3.1, the bit s).
  public static func isStereo(payload: RawSpan) -> Bool {
    payload.byteCount >= 1 && payload.octet(at: 0) & 4 != 0
  }

  /// R2: no coded frame is longer.
  private static let maximumCodedBytes = 1275

  /// 48 kHz frames per codec frame by configuration number (RFC 6716 §3.1, table 2).
  static func codecFrameCount(toc: UInt8) -> Int {
    let configuration = toc >> 3
    switch configuration {
    case 0..<12:  // SILK: 10, 20, 40, 60 ms
      let size = Int(configuration & 3)
      return size == 3 ? 2880 : 480 << size
    case 12..<16:  // hybrid: 10, 20 ms
      return 480 << Int(configuration & 1)
    default:  // CELT: 2.5, 5, 10, 20 ms
      return 120 << Int(configuration & 3)
    }
  }

  /// Code 2: the first frame's length stands in front; the second has what is left (§3.2.4).
  private static func isValidPair(_ rest: Range<Int>, in payload: RawSpan) -> Bool {
    guard let (length, start) = codedLength(rest, in: payload) else { return false }
    let left = rest.upperBound - start - length
    return left >= 0 && left <= maximumCodedBytes
  }

  /// Code 3: count octet, padding length, then lengths of all but the last frame where they
  /// differ (§3.2.5, R6, R7).
  private static func signalledCount(_ rest: Range<Int>, in payload: RawSpan) -> Int? {
    guard !rest.isEmpty else { return nil }
    let signal = payload.octet(at: rest.lowerBound)
    let (isVariable, isPadded, count) = (signal & 0x80 != 0, signal & 0x40 != 0, Int(signal & 0x3F))
    guard count > 0 else { return nil }
    var (start, end) = (rest.lowerBound + 1, rest.upperBound)
    while isPadded {
      guard start < end else { return nil }
      let octet = Int(payload.octet(at: start))
      start += 1
      // 255 stands for 254 octets and another length octet.
      end -= min(octet, 254)
      if octet < 255 { break }
    }
    guard start <= end else { return nil }
    guard isVariable else {
      let bytes = end - start
      return bytes % count == 0 && bytes / count <= maximumCodedBytes ? count : nil
    }
    var coded = 0
    for _ in 1..<count {
      guard let (length, next) = codedLength(start..<end, in: payload) else { return nil }
      coded += length
      start = next
    }
    let last = end - start - coded
    return last >= 0 && last <= maximumCodedBytes ? count : nil
  }

  /// A frame length of one or two octets (§3.2.1) and where the octets behind it start.
  static func codedLength(
    _ range: Range<Int>, in payload: RawSpan
  ) -> (length: Int, next: Int)? {
    guard !range.isEmpty else { return nil }
    let first = Int(payload.octet(at: range.lowerBound))
    if first < 252 { return (first, range.lowerBound + 1) }
    guard range.count >= 2 else { return nil }
    return (4 * Int(payload.octet(at: range.lowerBound + 1)) + first, range.lowerBound + 2)
  }
}

extension OpusTOC {
  /// PCM frames at 48 kHz right before the packet that its in-band FEC covers; 0: no FEC.
  ///
  /// That is one codec frame of its length, of the packet before or the end of it (RFC 6716 §2.1.7); only SILK and
  /// hybrid packets have it. Whether, says a bit behind the first codec frame's voice activity flags (§4.2.3): all are
  /// of even odds, so that the range coder leaves them as they are, from the highest bit on.
  /// Of stereo either channel's counts.
  ///
  /// For payloads that `frameCount` accepts; any thread; allocates nothing, never traps.
  public static func recoverableFrameCount(payload: RawSpan) -> Int {
    guard payload.byteCount > 1 else { return 0 }
    let toc = payload.octet(at: 0)
    guard toc < 16 << 3, let first = firstFrameOctet(payload) else { return 0 }
    let frames = codecFrameCount(toc: toc)
    let activityFlags = max(1, frames / 960)
    let isStereo = toc & 4 != 0
    var flags = UInt8(0x80) >> UInt8(activityFlags)
    if isStereo { flags |= UInt8(0x80) >> UInt8(2 * activityFlags + 1) }
    return first & flags != 0 ? frames : 0
  }

  /// What the first codec frame begins with; nil: it is empty, or not where it should be.
  private static func firstFrameOctet(_ payload: RawSpan) -> UInt8? {
    let rest = 1..<payload.byteCount
    var place = rest.lowerBound
    switch payload.octet(at: 0) & 3 {
    case 0, 1: break
    case 2:
      guard let (length, next) = codedLength(rest, in: payload), length > 0 else { return nil }
      place = next
    default:
      guard let first = firstOfMany(rest, in: payload) else { return nil }
      place = first
    }
    return place < payload.byteCount ? payload.octet(at: place) : nil
  }

  /// Code 3: where the first frame begins, behind the count, the padding's length and the frames' lengths (§3.2.5).
  private static func firstOfMany(_ rest: Range<Int>, in payload: RawSpan) -> Int? {
    let signal = payload.octet(at: rest.lowerBound)
    let (isVariable, isPadded, count) = (signal & 0x80 != 0, signal & 0x40 != 0, Int(signal & 0x3F))
    var (place, end) = (rest.lowerBound + 1, rest.upperBound)
    while isPadded {
      guard place < end else { return nil }
      let octet = Int(payload.octet(at: place))
      (place, end) = (place + 1, end - min(octet, 254))
      if octet < 255 { break }
    }
    guard place < end else { return nil }
    guard isVariable else { return (end - place) / max(1, count) > 0 ? place : nil }
    var isEmpty = false
    for index in 1..<max(1, count) {
      guard place < end, let (length, next) = codedLength(place..<end, in: payload) else {
        return nil
      }
      if index == 1 { isEmpty = length == 0 }
      place = next
    }
    return isEmpty || place >= end ? nil : place
  }
}
