/// How much longer a receiver waits for packets so that repairs come in time: the one thing that loss
/// repair asks of playout control.
///
/// - For copies, as long as they come behind: what the sender says by sending them. Kept for 3 s after
///   the last.
/// - For packets sent again, from a loss of 0.5 % on, as long as it takes to miss a packet, to ask and
///   to be answered, once, twice or three times depending on the loss, if that stays within the bound:
///   of 5 % lost both ways one request leaves 0.5 %, two leave 0.05 %. Given up when less than 0.2 % is
///   lost; shortened 5 s after less would do. Short codec frames are for who cannot wait: up to 5 ms
///   nothing is waited for answers.
struct RepairPatience {
  private static let copiesKeptNanoseconds: Int64 = 3_000_000_000
  private static let shortenedNanoseconds: Int64 = 5_000_000_000
  private static let (leastLoss, keptLoss) = (0.005, 0.002)
  private static let (twiceLoss, thriceLoss) = (0.02, 0.08)
  private static let shortFrames = 240
  private static let greatestBurst = 4.0
  /// Requests go out when the loop wakes, not when they could.
  private static let slackNanoseconds: Int64 = 3_000_000
  /// Time over which losses are averaged: 3 s.
  private static let averagedFrames = 144_000.0

  private let boundNanoseconds: Int64
  private var copiesNanoseconds: Int64 = 0
  private var copiesSeenNanoseconds: Int64 = .min / 2
  private var answersNanoseconds: Int64 = 0
  private var answersNeededNanoseconds: Int64 = .min / 2

  /// Share of the packets that did not come at first.
  private(set) var lossShare = 0.0
  /// Packets lost in a row, on average.
  private(set) var burstPackets = 1.0
  /// What playout control is to add to its target.
  private(set) var delayNanoseconds: Int64 = 0

  /// Waits `bound` at most.
  init(boundNanoseconds bound: Int64) { boundNanoseconds = max(0, bound) }

  /// Takes copies, the farthest so many frames behind its packet.
  mutating func noteCopies(frames: Int, arrivalNanoseconds now: Int64) {
    let reach = MediaClock.nanoseconds(frames: Int64(frames))
    if reach >= copiesNanoseconds || now - copiesSeenNanoseconds > Self.copiesKeptNanoseconds {
      copiesNanoseconds = reach
    }
    if reach == copiesNanoseconds { copiesSeenNanoseconds = now }
  }

  /// Takes a packet before which so many are missed; or one missed that came after all: -1.
  mutating func note(missed: Int, frames: Int) {
    let weight = min(0.5, Double(frames) / Self.averagedFrames)
    guard missed >= 0 else {
      lossShare = max(0, lossShare - weight)
      return
    }
    for _ in 0..<min(missed, 64) { lossShare += (1 - lossShare) * weight }
    lossShare -= lossShare * weight
    if missed > 0 {
      burstPackets += (min(Double(missed), Self.greatestBurst) - burstPackets) / 16
    }
  }

  /// Judges anew.
  mutating func judge(frames: Int, turnaroundNanoseconds: Int64?, nowNanoseconds now: Int64) {
    let needed = answers(frames: frames, turnaroundNanoseconds)
    if needed >= answersNanoseconds {
      answersNanoseconds = needed
      answersNeededNanoseconds = now
    } else if now - answersNeededNanoseconds > Self.shortenedNanoseconds {
      answersNanoseconds = needed
      answersNeededNanoseconds = now
    }
    let areCopiesSeen = now - copiesSeenNanoseconds <= Self.copiesKeptNanoseconds
    if !areCopiesSeen { copiesNanoseconds = 0 }
    delayNanoseconds = min(max(copiesNanoseconds, answersNanoseconds), boundNanoseconds)
  }

  private func answers(frames: Int, _ turnaround: Int64?) -> Int64 {
    let least = answersNanoseconds > 0 ? Self.keptLoss : Self.leastLoss
    guard let turnaround, frames > Self.shortFrames, lossShare >= least else { return 0 }
    let packet = Double(MediaClock.nanoseconds(frames: Int64(frames)))
    let detection = Int64(packet * max(1, burstPackets.rounded()))
    var tries: Int64 = lossShare < Self.twiceLoss ? 1 : lossShare < Self.thriceLoss ? 2 : 3
    while tries > 0 {
      let needed = detection + tries * (turnaround + Self.slackNanoseconds)
      if needed <= boundNanoseconds { return needed }
      tries -= 1
    }
    return 0
  }
}
