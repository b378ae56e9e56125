/// The elements that a header extension has for us (RFC 8285 §4); others are skipped.
struct HeaderExtension {
  /// "defined by profile" of the one-byte form (RFC 8285 §4.2).
  static let oneByteProfile: UInt16 = 0xBEDE
  /// The same of the two-byte form, whose low four bits the application owns (RFC 8285 §4.3).
  static let twoByteProfile: UInt16 = 0x1000

  private(set) var audioLevel: AudioLevel?
  private(set) var lines: LineSet?
  private(set) var run: UInt8?

  /// No element at all.
  init() {}

  /// Walks the elements in `body`, the octets behind the extension's length field.
  ///
  /// An extension of another profile holds nothing for us and is skipped, as are unknown elements.
  /// - Throws: `RTPParseError.headerExtension` when an element ends after the extension.
  init(profile: UInt16, body: Range<Int>, in bytes: borrowing RawSpan) throws(RTPParseError) {
    if profile == Self.oneByteProfile {
      try readOneByteForm(body, in: bytes)
    } else if profile & 0xFFF0 == Self.twoByteProfile {
      try readTwoByteForm(body, in: bytes)
    }
  }

  private mutating func readOneByteForm(
    _ body: Range<Int>, in bytes: borrowing RawSpan
  ) throws(RTPParseError) {
    var offset = body.lowerBound
    while offset < body.upperBound {
      let start = bytes.octet(at: offset)
      offset += 1
      if start == 0 { continue }
      let (id, length) = (start >> 4, Int(start & 0x0F) + 1)
      // ID 15, and ID 0 with a length, end the walk; what came before still counts (§4.2).
      if id == 0 || id == 15 { break }
      guard length <= body.upperBound - offset else { throw .headerExtension }
      read(id, offset..<(offset + length), in: bytes)
      offset += length
    }
  }

  private mutating func readTwoByteForm(
    _ body: Range<Int>, in bytes: borrowing RawSpan
  ) throws(RTPParseError) {
    var offset = body.lowerBound
    while offset < body.upperBound {
      let id = bytes.octet(at: offset)
      offset += 1
      if id == 0 { continue }
      guard offset < body.upperBound else { throw .headerExtension }
      let length = Int(bytes.octet(at: offset))
      offset += 1
      guard length <= body.upperBound - offset else { throw .headerExtension }
      read(id, offset..<(offset + length), in: bytes)
      offset += length
    }
  }

  /// Of an element that stands twice the last counts; one of an unfit length is none.
  private mutating func read(_ id: UInt8, _ data: Range<Int>, in bytes: borrowing RawSpan) {
    switch id {
    case AudioLevel.extensionID where data.count == 1:
      audioLevel = AudioLevel(octet: bytes.octet(at: data.lowerBound))
    case LineSet.extensionID where (1...LineSet.mostOctets).contains(data.count):
      var bits: UInt32 = 0
      for offset in data { bits = bits << 8 | UInt32(bytes.octet(at: offset)) }
      lines = LineSet(rawValue: bits)
    case AudienceRun.extensionID where data.count == 1: run = bytes.octet(at: data.lowerBound)
    default: break
    }
  }

  /// Octets of the extension with these elements, its header of four included; 0 without any.
  static func byteCount(audioLevel: AudioLevel?, lines: LineSet?, run: UInt8? = nil) -> Int {
    let elements =
      (audioLevel == nil ? 0 : 2) + (lines.map { 1 + $0.octetCount } ?? 0) + (run == nil ? 0 : 2)
    return elements == 0 ? 0 : 4 + (elements + 3) / 4 * 4
  }

  /// Writes the extension in its one-byte form at `offset` of `bytes`, where there must be room.
  static func write(
    audioLevel: AudioLevel?, lines: LineSet?, run: UInt8? = nil, at offset: Int,
    into bytes: inout MutableRawSpan
  ) {
    let end = offset + byteCount(audioLevel: audioLevel, lines: lines, run: run)
    bytes.store(oneByteProfile, at: offset)
    bytes.store(UInt16((end - offset) / 4 - 1), at: offset + 2)
    var place = offset + 4
    // The low four bits are the length less one (RFC 8285 §4.2).
    if let audioLevel {
      bytes.store(AudioLevel.extensionID << 4, at: place)
      bytes.store(audioLevel.octet, at: place + 1)
      place += 2
    }
    if let lines {
      let count = lines.octetCount
      bytes.store(LineSet.extensionID << 4 | UInt8(count - 1), at: place)
      for index in 0..<count {
        let octet = UInt8(truncatingIfNeeded: lines.rawValue >> UInt32(8 * (count - 1 - index)))
        bytes.store(octet, at: place + 1 + index)
      }
      place += 1 + count
    }
    if let run {
      bytes.store(AudienceRun.extensionID << 4, at: place)
      bytes.store(run, at: place + 1)
      place += 2
    }
    while place < end {
      bytes.store(0 as UInt8, at: place)
      place += 1
    }
  }
}

/// The level of the audio in a packet, sent with it so that meters need no decoder
/// (RFC 6464 §3).
public struct AudioLevel: Hashable, Sendable {
  /// The local identifier of the header extension element (RFC 8285 §4.2).
  ///
  /// Constant here: there is no session description that could negotiate another.
  public static let extensionID: UInt8 = 1

  /// Level relative to full scale in dBov, from -127 for silence to 0 for overload.
  public let levelDBov: Int
  /// Whether the sender believes that the packet holds speech (the V bit).
  public let hasVoiceActivity: Bool

  /// Makes a level; values outside -127...0 are moved to the nearer end.
  public init(levelDBov: Int, hasVoiceActivity: Bool) {
    self.levelDBov = min(0, max(-127, levelDBov))
    self.hasVoiceActivity = hasVoiceActivity
  }

  /// Reads the element's data octet: V bit, then seven bits of -dBov (RFC 6464 §3, figure 1).
  public init(octet: UInt8) {
    self.init(levelDBov: -Int(octet & 0x7F), hasVoiceActivity: octet & 0x80 != 0)
  }

  /// The element's data octet.
  public var octet: UInt8 {
    UInt8(truncatingIfNeeded: -levelDBov) | (hasVoiceActivity ? 0x80 : 0)
  }
}

/// How many packets in a row, right before one, went to all that it goes to.
///
/// Who is on none of the lines that packets are for is not sent them, and must not take them for lost. What came before
/// the run may not have been for the receiver; a packet without this element went to whom all before it went to.
public enum AudienceRun {
  /// The local identifier of the header extension element (RFC 8285 §4.2); one octet of data.
  public static let extensionID: UInt8 = 3
  /// The longest run that is told.
  public static let longest = 254
}

/// The party lines of its stream's audience that a packet is for, sent with it: a set of numbers below 32.
///
/// On the wire as few octets as hold it, 1 to 4: line n is bit n, the highest octet first. A packet without
/// this element is for the stream's whole audience; one with an empty set is for nobody on a line.
public struct LineSet: OptionSet, Hashable, Sendable {
  /// The local identifier of the header extension element (RFC 8285 §4.2).
  public static let extensionID: UInt8 = 2
  /// Lines that can be told apart.
  public static let capacity = 32
  /// Most data octets of the element.
  static let mostOctets = 4

  /// Bit n: whether line n is in the set.
  public let rawValue: UInt32

  /// Makes a set of its bits.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// The line that everyone is on: number 0.
  public static let everyone = LineSet(rawValue: 1)
  /// The number of no line: what is said to all, whatever they listen to.
  public static let announcementNumber = 31
  /// What is said to all, whatever they listen to.
  public static let announcement = LineSet(rawValue: 1 << 31)

  /// Whether a line is in the set.
  public func contains(line: Int) -> Bool {
    (0..<Self.capacity).contains(line) && rawValue & 1 << UInt32(line) != 0
  }

  /// Adds a line; a number that no line has adds none.
  public mutating func insert(line: Int) {
    if let set = LineSet(line: line) { formUnion(set) }
  }

  /// The set of one line; nil for a number that no line has.
  public init?(line: Int) {
    guard (0..<Self.capacity).contains(line) else { return nil }
    self.init(rawValue: 1 << UInt32(line))
  }

  /// Data octets of the element.
  var octetCount: Int {
    max(1, (UInt32.bitWidth - rawValue.leadingZeroBitCount + 7) / 8)
  }
}
