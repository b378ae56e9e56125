/// How fast the lane may send to one node, so that it takes what the path has left and voices do not wait behind it:
/// congestion control by delay.
///
/// What is measured is the time from handing a chunk to TCP to the receipt for it. The shortest of a round is compared
/// with the shortest of the last one to two minutes; the difference is a queue, in the network or, where TCP itself is
/// slowed down by losses, in the sender's kernel. A loss delays what is behind it until it is repaired, and then lets
/// it go at once, so the last of it is hardly late: one loss is no queue.
///
/// States: starting (a round of 100 ms and no queue of 15 ms: twice as much; three receipts in a row that are late:
/// half, and it has started), rising (a round without a queue: a twentieth more), holding (a queue of 5 to 15 ms),
/// falling (more than 15 ms: three quarters, and one round is not judged, as it saw the queue drain), stalled (no
/// receipt for a second: half, each second).
///
/// Constants: 15 ms is less than a third of the rise at which talkers take theirs for congestion (`CongestionWatch`),
/// and what two Wi-Fi hops spread by at the median. A round has 200 ms and four receipts at least: of four samples the
/// shortest says little of jitter. At first it is half as long, so that 30 s of voice are there within a second on a
/// LAN; three receipts are 60 ms. The least rate still sends 16 Mbit an hour.
struct LanePace {
  private struct Flight {
    let channel: UInt64
    let end: UInt64
    let byteCount: Int
    let sentNanoseconds: Int64
  }

  /// Bounds of the rate, octets a second, and where it begins.
  private static let (least, most, first) = (4096.0, 8.0 * 1024 * 1024, 32.0 * 1024)
  private static let (start, increase, reduction, stall) = (2.0, 1.05, 0.75, 0.5)
  private static let calmNanoseconds: Int64 = 5_000_000
  private static let queueNanoseconds: Int64 = 15_000_000
  private static let (startNanoseconds, roundNanoseconds): (Int64, Int64) = (
    100_000_000, 200_000_000
  )
  private static let (roundSamples, lateSamples) = (4, 3)
  private static let baseNanoseconds: Int64 = 60_000_000_000
  private static let stallNanoseconds: Int64 = 1_000_000_000
  /// Beyond the shortest round trip, so much of the rate may be under way.
  private static let slackNanoseconds: Int64 = 80_000_000
  /// A chunk takes so long at the rate.
  private static let chunkSeconds = 0.01
  private static let leastChunkBytes = 1024

  private var bytesPerSecond = Self.first
  private var bucket = LaneBucket(bytesPerSecond: Self.first, burstBytes: 1)
  private var flights: [Flight] = []
  private var flightBytes = 0
  /// The shortest round trips of this minute and the one before.
  private var (base, lastBase): (Int64, Int64) = (.max, .max)
  private var baseUntilNanoseconds: Int64 = .min
  /// This round: its end, its samples and the shortest, and how much was sent in it.
  private var (roundUntil, samples, shortest, sentBytes): (Int64, Int, Int64, Int) = (0, 0, .max, 0)
  private var roundSince: Int64 = 0
  private var hasStarted = false
  /// Receipts in a row that say that there is a queue.
  private var lateInRow = 0
  private var isDraining = false
  /// When the last receipt came, or the first of what is under way was sent.
  private var movedNanoseconds: Int64 = 0

  /// The rate, for tests and people.
  var rate: Double { bytesPerSecond }

  /// Most octets of the next chunk.
  var chunkBytes: Int {
    min(
      LaneChunk.maximumBytes, max(Self.leastChunkBytes, Int(bytesPerSecond * Self.chunkSeconds)))
  }

  private var bound: Int {
    let base = min(base, lastBase)
    let trip = base == .max ? 0 : base
    let bytes = bytesPerSecond * Double(trip + Self.slackNanoseconds) / 1e9
    return max(2 * chunkBytes, Int(bytes))
  }

  /// When the next chunk may be sent; `.max`: once a receipt came.
  mutating func readyNanoseconds(nowNanoseconds now: Int64) -> Int64 {
    guard flightBytes < bound else { return .max }
    return bucket.readyNanoseconds(nowNanoseconds: now)
  }

  /// When a stall is to be looked at; `.max`: nothing is under way.
  var stallNanoseconds: Int64 {
    flights.isEmpty ? .max : movedNanoseconds.saturatingAdding(Self.stallNanoseconds)
  }

  /// A chunk goes out.
  mutating func note(_ chunk: LaneChunk, nowNanoseconds now: Int64) {
    if flights.isEmpty {
      movedNanoseconds = now
      // A pause before the first receipt of a round is no part of it.
      if samples == 0, now >= roundUntil { beginRound(now) }
    }
    flights.append(
      Flight(
        channel: chunk.channel, end: chunk.position + UInt64(chunk.octets.count),
        byteCount: chunk.octets.count, sentNanoseconds: now))
    flightBytes += chunk.octets.count
    sentBytes += chunk.octets.count
    bucket.take(chunk.octets.count, nowNanoseconds: now)
  }

  /// A receipt came.
  mutating func note(_ receipt: LaneReceipt, nowNanoseconds now: Int64) {
    var newest: Int64?
    flights.removeAll { flight in
      guard flight.channel == receipt.channel, flight.end <= receipt.received else { return false }
      newest = flight.sentNanoseconds
      flightBytes -= flight.byteCount
      return true
    }
    guard let newest else { return }
    movedNanoseconds = now
    take(now - newest, now)
  }

  private mutating func take(_ roundTrip: Int64, _ now: Int64) {
    if now >= baseUntilNanoseconds {
      (lastBase, base) = (base, .max)
      baseUntilNanoseconds = now.saturatingAdding(Self.baseNanoseconds)
    }
    base = min(base, roundTrip)
    shortest = min(shortest, roundTrip)
    samples += 1
    let isLate = roundTrip - min(base, lastBase) > Self.queueNanoseconds
    lateInRow = isLate ? lateInRow + 1 : 0
    if !hasStarted, lateInRow == Self.lateSamples {
      (hasStarted, isDraining) = (true, true)
      set(bytesPerSecond / Self.start)
      return beginRound(now)
    }
    guard now >= roundUntil, samples >= Self.roundSamples else { return }
    judge(now)
  }

  private mutating func judge(_ now: Int64) {
    let queue = shortest - min(base, lastBase)
    let elapsed = Double(max(now - roundSince, 1)) / 1e9
    // What was not used says nothing of what the path bears.
    let isUsed = Double(sentBytes) > bytesPerSecond * elapsed / 2
    if isDraining {
      isDraining = false
    } else if queue > Self.queueNanoseconds {
      (hasStarted, isDraining) = (true, true)
      set(bytesPerSecond * Self.reduction)
    } else if queue <= Self.calmNanoseconds || !hasStarted, isUsed {
      set(bytesPerSecond * (hasStarted ? Self.increase : Self.start))
    }
    beginRound(now)
  }

  private mutating func beginRound(_ now: Int64) {
    let round = hasStarted ? Self.roundNanoseconds : Self.startNanoseconds
    (roundSince, roundUntil) = (now, now.saturatingAdding(round))
    (samples, shortest, sentBytes) = (0, .max, 0)
  }

  /// Time passed: who hears nothing sends less.
  mutating func checkStall(nowNanoseconds now: Int64) {
    guard now >= stallNanoseconds else { return }
    movedNanoseconds = now
    hasStarted = true
    set(bytesPerSecond * Self.stall)
    beginRound(now)
  }

  /// A new connection: nothing is under way, and the path may be another.
  mutating func reset() { self = LanePace() }

  private mutating func set(_ rate: Double) {
    bytesPerSecond = min(max(rate, Self.least), Self.most)
    bucket.bytesPerSecond = bytesPerSecond
  }
}
