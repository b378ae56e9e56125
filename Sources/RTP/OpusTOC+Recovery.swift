extension OpusTOC {
  /// PCM frames at 48 kHz right before the packet of which it tells by in-band FEC; 0: it has none.
  ///
  /// That is one codec frame of its length, of the packet before or the end of it (RFC 6716 §2.1.7); only SILK and hybrid
  /// packets have it. Whether, says a bit behind the first codec frame's voice activity flags (§4.2.3): all are of even odds, so
  /// that the range coder leaves them as they are, from the highest bit on. Of stereo either channel's counts.
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
