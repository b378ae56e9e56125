import RTP

/// Reception of a receiver's last packets, packet by packet, from its reports (RFC 3611 §4.1,
/// RFC 5725): which were lost, and whose audio was in time after all.
///
/// The receiver's word. Words of bits, the oldest packet in the lowest bit of the first.
public struct LossPattern: Sendable {
  /// 4096 packets: 10 s of the shortest, 41 s of 10 ms.
  static let capacity = 64 * wordCount
  private static let wordCount = 64

  private var lost = [UInt64](repeating: 0, count: wordCount)
  private var unheard = [UInt64](repeating: 0, count: wordCount)
  private var next: SequenceNumber?

  /// A report's moment, and the packets told of before it.
  private struct Mark {
    var nanoseconds: Int64
    var total: Int
  }
  /// 12 s, more than any caller needs.
  private static let markCount = 24
  private static let markNanoseconds: Int64 = 500_000_000
  private var marks: [Mark] = []

  /// Packets reported, the newest `capacity` at most.
  public private(set) var count = 0
  /// Packets reported since the beginning.
  public private(set) var total = 0

  /// Nothing is known yet.
  public init() { marks.reserveCapacity(Self.markCount) }

  /// Adds a report's two blocks; packets reported before are skipped.
  ///
  /// Blocks that do not tell of the same packets are not believed.
  mutating func add(
    received: LossRuns, repaired: LossRuns, bytes: RawSpan, nowNanoseconds: Int64
  ) {
    guard received.begin == repaired.begin, received.count == repaired.count else { return }
    var old = 0
    if let next {
      let step = received.begin.distance(to: next)
      // Overtaken by a later one.
      guard step <= received.count || step > Self.capacity else { return }
      // What is further off is another stream, or many reports were lost.
      old = (0...received.count).contains(step) ? step : 0
    }
    // Longer ones are nobody's of ours, and would take their time.
    guard received.count <= Self.capacity, repaired.count <= Self.capacity else { return }
    let begin = total
    mark(nowNanoseconds)
    append(received, from: old, bytes)
    let added = total - begin
    mark(repaired, from: old, packets: added, bytes)
    next = received.begin.advanced(by: received.count)
  }

  /// Adds the newest packets of another pattern, as the next of this one.
  ///
  /// Allocates nothing.
  mutating func add(_ packets: Int, of other: LossPattern, nowNanoseconds: Int64) {
    guard packets > 0 else { return }
    mark(nowNanoseconds)
    for index in max(0, other.count - packets)..<other.count {
      let bit: UInt64 = 1 << UInt64(index % 64)
      append(isLost: other.lost[index / 64] & bit != 0)
      guard other.unheard[index / 64] & bit != 0 else { continue }
      unheard[(count - 1) / 64] |= 1 << UInt64((count - 1) % 64)
    }
  }

  /// Reports that follow each other too soon share a mark.
  private mutating func mark(_ nowNanoseconds: Int64) {
    if let last = marks.last, nowNanoseconds - last.nanoseconds < Self.markNanoseconds { return }
    if marks.count == Self.markCount { marks.removeFirst() }
    marks.append(Mark(nanoseconds: nowNanoseconds, total: total))
  }

  /// Packets reported since a time, at most `count`: few in a pause.
  func packets(sinceNanoseconds start: Int64) -> Int {
    guard let mark = marks.first(where: { $0.nanoseconds >= start }) else { return 0 }
    return min(count, total - mark.total)
  }

  private mutating func append(_ runs: LossRuns, from old: Int, _ bytes: RawSpan) {
    var index = 0
    runs.forEachRun(in: bytes) { isGood, packets in
      for _ in 0..<packets where index < Self.capacity {
        if index >= old { append(isLost: !isGood) }
        index += 1
      }
    }
  }

  private mutating func append(isLost: Bool) {
    if count == Self.capacity {
      for word in 1..<Self.wordCount {
        lost[word - 1] = lost[word]
        unheard[word - 1] = unheard[word]
      }
      (lost[Self.wordCount - 1], unheard[Self.wordCount - 1]) = (0, 0)
      count -= 64
    }
    if isLost { lost[count / 64] |= 1 << UInt64(count % 64) }
    count += 1
    total += 1
  }

  private mutating func mark(_ runs: LossRuns, from old: Int, packets added: Int, _ bytes: RawSpan)
  {
    var index = 0
    let first = count - added
    runs.forEachRun(in: bytes) { isGood, packets in
      for _ in 0..<packets where index < old + added {
        let place = first + index - old
        if index >= old && place >= 0 && !isGood {
          unheard[place / 64] |= 1 << UInt64(place % 64)
        }
        index += 1
      }
    }
  }

  /// Counts over the newest `packets`.
  public func summary(packets: Int) -> Summary {
    let begin = max(0, count - packets)
    var summary = Summary(packets: count - begin)
    var wasLost = false
    for index in begin..<count {
      let isLost = lost[index / 64] >> UInt64(index % 64) & 1 == 1
      if isLost {
        summary.lost += 1
        if !wasLost { summary.bursts += 1 }
      }
      if unheard[index / 64] >> UInt64(index % 64) & 1 == 1 {
        summary.unheard += 1
        if !isLost { summary.late += 1 }
      }
      wasLost = isLost
    }
    return summary
  }

  /// How many of the newest `packets` copies at these distances (0: none) would not have repaired.
  ///
  /// A packet is beyond copies when it and all that carried its copies were lost. The very newest,
  /// whose carriers are not known yet, are left out.
  func unrepaired(packets: Int, nearDistance: Int, farDistance: Int) -> Int {
    let end = count - RepairRecipe.greatestDistance
    let begin = max(0, end - packets)
    guard begin < end else { return 0 }
    var unrepaired = 0
    for word in (begin / 64)...((end - 1) / 64) {
      var bits = lost[word]
      if nearDistance > 0 { bits &= shifted(word, by: nearDistance) }
      if farDistance > 0 { bits &= shifted(word, by: farDistance) }
      if word == begin / 64 { bits &= ~0 << UInt64(begin % 64) }
      if word == (end - 1) / 64 { bits &= ~0 >> UInt64(63 - (end - 1) % 64) }
      unrepaired += bits.nonzeroBitCount
    }
    return unrepaired
  }

  /// The word that holds in each packet's place what became of the one `distance` later.
  private func shifted(_ word: Int, by distance: Int) -> UInt64 {
    let above = word + 1 < Self.wordCount ? lost[word + 1] : 0
    return lost[word] >> UInt64(distance) | above << UInt64(64 - distance)
  }

  /// Counts over some packets.
  public struct Summary: Hashable, Sendable {
    /// Packets counted.
    public internal(set) var packets: Int
    /// Lost on the way.
    public internal(set) var lost = 0
    /// Runs of them.
    public internal(set) var bursts = 0
    /// Packets whose audio was not in time, lost or late.
    public internal(set) var unheard = 0
    /// Packets that arrived too late.
    public internal(set) var late = 0

    /// Share lost on the way.
    public var lostShare: Double { packets == 0 ? 0 : Double(lost) / Double(packets) }
    /// Share that arrived too late.
    public var lateShare: Double { packets == 0 ? 0 : Double(late) / Double(packets) }
    /// Share that was concealed.
    public var unheardShare: Double { packets == 0 ? 0 : Double(unheard) / Double(packets) }
    /// Packets lost in a row on average, 1 while none is.
    public var burstLength: Double { bursts == 0 ? 1 : Double(lost) / Double(bursts) }
  }
}
