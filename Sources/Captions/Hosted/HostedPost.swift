internal import Cryptography

/// What is to be said of hosted sessions to one member that is on, and what it may know.
struct HostedPost {
  /// What it said of a part last.
  struct Told {
    let isHosting: Bool
    let count: UInt32
    let digest: UInt64
  }

  private struct Feed {
    var isFollowing: Bool
    /// Chunks that changed just now, and those of before, the next one last.
    var (fresh, history): ([UInt32], [UInt32])
  }

  /// Where it hears.
  var places: Set<CaptionPlace> = []
  /// What it said last.
  private(set) var roll: SessionRoll?
  /// The parts that it told of since it came: what it lacks of them it does not need from others.
  private(set) var told: [CaptionSessionKey: Told] = [:]
  /// The battery of its machine, as a host.
  var batteryPercent: UInt8?

  private var owesRoll = true
  private var notices: Set<CaptionSessionKey> = []
  private var wants: Set<CaptionSessionKey> = []
  private var feeds: [CaptionSessionKey: Feed] = [:]
  private var pausedUntilNanoseconds: Int64 = .min

  /// Takes who it is; false: another run than before, that knows nothing of what it was sent.
  mutating func hear(_ roll: SessionRoll) -> Bool {
    let isSame = self.roll.map { $0.run == roll.run } ?? true
    if !isSame { (feeds, told) = ([:], [:]) }
    self.roll = roll
    return isSame
  }

  func hasJoined(_ session: CaptionSessionKey) -> Bool {
    roll?.seats.contains { $0.session == session } ?? false
  }

  mutating func note(_ notice: SessionNotice) {
    told[notice.bill.part] = Told(
      isHosting: notice.isHosting, count: notice.count, digest: notice.digest)
  }

  mutating func oweRoll() { owesRoll = true }

  mutating func owe(noticeOf part: CaptionSessionKey) { notices.insert(part) }

  mutating func want(_ part: CaptionSessionKey) { wants.insert(part) }

  mutating func forget(_ part: CaptionSessionKey) {
    notices.remove(part)
    wants.remove(part)
    (feeds[part], told[part]) = (nil, nil)
  }

  /// It gets these chunks, the oldest first, and each that changes from now on, if it is told of these.
  mutating func feed(_ part: CaptionSessionKey, _ indices: [UInt32], isFollowing: Bool) {
    guard isFollowing || !indices.isEmpty else { return }
    guard feeds[part] != nil || feeds.count < CaptionLimits.partsPerHost * CaptionLimits.seats
    else { return }
    feeds[part] = Feed(isFollowing: isFollowing, fresh: [], history: indices.reversed())
  }

  func isFollowing(_ part: CaptionSessionKey) -> Bool { feeds[part]?.isFollowing == true }

  /// A chunk is another.
  mutating func note(_ index: UInt32, of part: CaptionSessionKey) {
    guard let feed = feeds[part], feed.isFollowing, !feed.fresh.contains(index) else { return }
    feeds[part]?.fresh.append(index)
  }

  /// What it was sent may be lost.
  mutating func beginAgain(telling parts: [CaptionSessionKey], untilNanoseconds: Int64) {
    owesRoll = true
    notices.formUnion(parts)
    feeds = [:]
    pausedUntilNanoseconds = untilNanoseconds
  }

  func isPaused(nowNanoseconds now: Int64) -> Bool { now < pausedUntilNanoseconds }

  /// When it goes on; `Int64.max`: nothing waits.
  var deadlineNanoseconds: Int64 {
    pausedUntilNanoseconds == .min ? .max : pausedUntilNanoseconds
  }

  mutating func endPause() { pausedUntilNanoseconds = .min }

  mutating func takeRoll() -> Bool {
    defer { owesRoll = false }
    return owesRoll
  }

  mutating func takeNotice() -> CaptionSessionKey? { notices.popFirst() }

  mutating func takeWant() -> CaptionSessionKey? { wants.popFirst() }

  /// A part that there are chunks of to send, what changed just now first.
  var nextFeed: CaptionSessionKey? {
    feeds.first { !$0.value.fresh.isEmpty }?.key
      ?? feeds.filter { !$0.value.history.isEmpty }.keys.min()
  }

  /// The next chunk of a part for it, looked at by `body`; false: that has no room for it, and it is next again.
  mutating func takeChunk(of part: CaptionSessionKey, _ body: (UInt32) -> Bool) -> Bool {
    guard let feed = feeds[part] else { return false }
    if let index = feed.fresh.first {
      guard body(index) else { return false }
      feeds[part]?.fresh.removeFirst()
      return true
    }
    guard let index = feed.history.last, body(index) else {
      if feed.history.isEmpty, !feed.isFollowing { feeds[part] = nil }
      return false
    }
    feeds[part]?.history.removeLast()
    return true
  }
}
