/// The jitter buffer: packets of one stream by sequence number, in memory allocated once.
///
/// A slot remembers the fate of its sequence number until a number `slotCount` further on takes its
/// place; that tells duplicates from late packets. Sequence numbers and media times here do not
/// wrap: whoever fills the buffer extends them.
struct PacketBuffer {
  /// 320 ms of the shortest packets.
  static let leastSlotCount = 128
  /// Room beyond the longest playout delay: for reordered packets, and a burst after a stall.
  private static let reserveNanoseconds: Int64 = 120_000_000
  private static let shortestPacketNanoseconds: Int64 = 2_500_000
  /// A code 0 packet of the longest codec frame (RFC 6716 §3.4, R2); datagrams are kept below
  /// 1200 bytes anyway.
  static let payloadCapacity = 1276

  /// One packet, without its payload.
  struct Entry {
    /// The fate of the sequence number.
    enum Fate: UInt8 { case unknown, waiting, taken, missed }

    var sequence: Int64 = -1
    var fate = Fate.unknown
    /// Media time of the first frame.
    var startFrame: Int64 = 0
    var durationFrames = 0
    var payloadBytes = 0
    var arrivalNanoseconds: Int64 = 0
    /// Whether it is a repair, a copy or RTX: the packet itself has not arrived (yet).
    var isRepair = false
    /// Frames right before it that its in-band FEC covers; 0: none.
    var recoverableFrames = 0

    /// Only "nobody talks" (RFC 6716 §3.1: a frame without data).
    var isNotice: Bool { payloadBytes == 1 }
    var endFrame: Int64 { startFrame + Int64(durationFrames) }
  }

  /// What a sequence number's slot knows of it.
  enum Standing { case ahead, duplicate, late, tooOld }

  /// Sequence numbers left behind in one go.
  struct Passage {
    var missed = 0
    var skipped = 0
  }

  /// A power of 2.
  let slotCount: Int
  private var entries: [Entry]
  private var octets: [UInt8]
  private var endSequence: Int64 = 0

  /// The first number not yet played, lost or skipped.
  private(set) var nextSequence: Int64 = 0
  /// Packets waiting.
  private(set) var waitingCount = 0

  /// Makes room for the shortest packets through the longest playout delay: 163 KB for up to 200 ms, 653 KB for 1000.
  init(playoutDelayMaximumNanoseconds maximum: Int64 = 0) {
    let span = max(0, maximum) + Self.reserveNanoseconds
    var slots = Self.leastSlotCount
    while Int64(slots) * Self.shortestPacketNanoseconds < span { slots *= 2 }
    slotCount = slots
    entries = [Entry](repeating: Entry(), count: slots)
    octets = [UInt8](repeating: 0, count: slots * Self.payloadCapacity)
  }

  /// Forgets everything; `sequence` comes next.
  mutating func reset(nextSequence sequence: Int64) {
    for index in entries.indices { entries[index] = Entry() }
    nextSequence = sequence
    endSequence = sequence
    waitingCount = 0
  }

  /// Makes room in front: a packet sent before the first one came after it.
  ///
  /// Only before anything was taken.
  mutating func lower(to sequence: Int64) { nextSequence = min(nextSequence, sequence) }

  /// Notes that a packet `ahead` arrived and was discarded: it is not missing, and may come again.
  mutating func excuse(_ sequence: Int64) {
    let index = slot(sequence)
    entries[index] = Entry()
    entries[index].sequence = sequence
    entries[index].fate = .taken
  }

  /// Notes that packets `ahead` were sent to others only: none of them is missing.
  ///
  /// They follow the last one that came or was missed.
  mutating func excuse(_ range: Range<Int64>) {
    guard waitingCount > 0 || range.lowerBound > nextSequence else {
      nextSequence = max(nextSequence, range.upperBound)
      endSequence = max(endSequence, nextSequence)
      return
    }
    let end = min(range.upperBound, nextSequence + Int64(slotCount))
    var sequence = range.lowerBound
    while sequence < end {
      excuse(sequence)
      sequence += 1
    }
  }

  /// What is known of `sequence`.
  func standing(of sequence: Int64) -> Standing {
    let entry = entries[slot(sequence)]
    if sequence >= nextSequence {
      return entry.sequence == sequence && entry.fate == .waiting ? .duplicate : .ahead
    }
    guard entry.sequence == sequence else { return .tooOld }
    return entry.fate == .missed ? .late : .duplicate
  }

  /// Whether a number holds or held a repair whose packet itself arrives now.
  mutating func isRepaired(_ sequence: Int64) -> Bool {
    let index = slot(sequence)
    guard entries[index].sequence == sequence, entries[index].isRepair else { return false }
    entries[index].isRepair = false
    return true
  }

  /// Notes that a missing packet arrived after all.
  mutating func markTaken(_ sequence: Int64) {
    entries[slot(sequence)].fate = .taken
  }

  /// Keeps a packet that is `ahead`, less than `slotCount` from `nextSequence`; copies the payload.
  mutating func insert(_ entry: Entry, payload: RawSpan) {
    precondition(entry.sequence >= nextSequence)
    precondition(entry.sequence - nextSequence < Int64(slotCount))
    put(entry, payload: payload)
    endSequence = max(endSequence, entry.sequence + 1)
    waitingCount += 1
  }

  /// Replaces a waiting repair, which may have a lower bit rate, by the packet itself.
  mutating func replaceRepair(with entry: Entry, payload: RawSpan) {
    let index = slot(entry.sequence)
    guard entries[index].sequence == entry.sequence, entries[index].fate == .waiting,
      entries[index].startFrame == entry.startFrame,
      entries[index].durationFrames == entry.durationFrames
    else { return }
    put(entry, payload: payload)
  }

  private mutating func put(_ entry: Entry, payload: RawSpan) {
    precondition(payload.byteCount <= Self.payloadCapacity)
    let index = slot(entry.sequence)
    entries[index] = entry
    entries[index].fate = .waiting
    entries[index].payloadBytes = payload.byteCount
    let base = index * Self.payloadCapacity
    unsafe octets.withUnsafeMutableBytes { target in
      let place = unsafe UnsafeMutableRawBufferPointer(rebasing: target[base...])
      unsafe payload.withUnsafeBytes { source in unsafe place.copyMemory(from: source) }
    }
  }

  /// The waiting packet with the lowest number.
  var first: Entry? {
    guard waitingCount > 0 else { return nil }
    var sequence = nextSequence
    while sequence < endSequence {
      let entry = entries[slot(sequence)]
      if entry.sequence == sequence && entry.fate == .waiting { return entry }
      sequence += 1
    }
    return nil
  }

  /// The payload of a waiting packet.
  @_lifetime(borrow self)
  func payload(of entry: Entry) -> RawSpan {
    let base = slot(entry.sequence) * Self.payloadCapacity
    return unsafe octets.span.bytes.extracting(base..<(base + entry.payloadBytes))
  }

  /// Takes the packet `sequence`, and leaves all before it behind.
  mutating func take(_ sequence: Int64) -> Passage {
    let passage = pass(to: sequence)
    var entry = Entry()
    entry.sequence = sequence
    let index = slot(sequence)
    if entries[index].sequence == sequence && entries[index].fate == .waiting { waitingCount -= 1 }
    entry.fate = .taken
    entry.isRepair = entries[index].sequence == sequence && entries[index].isRepair
    entries[index] = entry
    nextSequence = sequence + 1
    endSequence = max(endSequence, nextSequence)
    return passage
  }

  /// Drops the missing packet `sequence`, whose audio was recovered otherwise, and all before it.
  mutating func takeRecovered(_ sequence: Int64) -> Passage {
    let passage = take(sequence)
    entries[slot(sequence)].isRepair = true
    return passage
  }

  /// Drops all before `sequence`: waiting packets are skipped, others lost.
  mutating func pass(to sequence: Int64) -> Passage {
    var passage = Passage()
    // Beyond the slots nothing can wait and nothing is remembered.
    let remembered = max(nextSequence, sequence - Int64(slotCount))
    var number = nextSequence
    while number < sequence {
      let index = slot(number)
      let fate = entries[index].sequence == number ? entries[index].fate : .unknown
      if fate == .waiting {
        passage.skipped += 1
        waitingCount -= 1
        entries[index].fate = .taken
      } else if fate != .taken {
        passage.missed += 1
        if number >= remembered {
          entries[index] = Entry()
          entries[index].sequence = number
          entries[index].fate = .missed
        }
      }
      number += 1
    }
    nextSequence = max(nextSequence, sequence)
    endSequence = max(endSequence, nextSequence)
    return passage
  }

  private func slot(_ sequence: Int64) -> Int {
    Int(truncatingIfNeeded: sequence) & (slotCount - 1)
  }
}

extension PacketBuffer.Entry {
  /// A packet at its place in the stream.
  init(
    at place: StreamTimeline.Place, durationFrames: Int, payloadBytes: Int,
    arrivalNanoseconds: Int64
  ) {
    sequence = place.sequence
    startFrame = place.frame
    self.durationFrames = durationFrames
    self.payloadBytes = payloadBytes
    self.arrivalNanoseconds = arrivalNanoseconds
  }
}

/// Discarded packets, by reason.
public struct PacketDiscards: Hashable, Sendable {
  /// No valid Opus packet by its table of contents (RFC 6716 §3.4), an empty one included.
  public internal(set) var malformed = 0
  /// Payload above `PeerStream.maximumPayloadBytes`.
  public internal(set) var oversized = 0
  /// Of an unknown SSRC or far off in sequence or time, and not (yet) proven to be a new stream.
  public internal(set) var unproven = 0
  /// Too old to tell whether it is late or a duplicate.
  public internal(set) var tooOld = 0
  /// In time, but dropped to keep the delay below its bound.
  public internal(set) var skipped = 0
  /// Waiting when the stream was reset or restarted.
  public internal(set) var flushed = 0

  /// All of them.
  public var total: Int { malformed + oversized + unproven + tooOld + skipped + flushed }
}
