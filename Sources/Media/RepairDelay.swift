/// The extra playout delay that lets repairs arrive in time: all that loss repair asks of playout
/// control.
///
/// - For copies, as long as they come behind: what the sender says by sending them. Kept for 3 s after
///   the last.
/// - For packets sent again, from a loss of 0.5 % on, as long as it takes to miss a packet, to ask and
///   to be answered, so often that 0.2 % stay lost if as much is lost both ways, and as the bound
///   allows: of 5 % lost one request leaves 0.5 %, two leave 0.05 %. What is lost in bursts is missed only
///   at their end, and geometric bursts are twice their mean one time in seven: so long is waited, up to a
///   bound of its own. Given up when less than 0.2 % is lost. Short codec frames are for who cannot
///   wait: up to 5 ms nothing is waited for answers.
///
/// Longer as soon as a tenth more is needed. Shorter after a tenth less would have done for 15 s, where nobody
/// hears it (`shorten`), and after 45 s anywhere: a single cut in a sentence is worse than 10 ms more. Between the
/// two nothing moves.
///
/// A storm is over sooner: what began less than 10 s before its last loss and is followed by 6 s of packets of which,
/// had it gone on, eight times some would have been lost.
/// Then nothing is waited for, copies or not: in silence at once, anywhere 3 s later.
struct RepairDelay {
  private static let copiesKeptNanoseconds: Int64 = 3_000_000_000
  private static let spareNanosecondsAfter: (quiet: Int64, anywhere: Int64) = (
    15_000_000_000, 45_000_000_000
  )
  /// A change of a tenth is not worth a splice: RTX delays vary by as much.
  private static let waverShare: Int64 = 10
  private static let longestStormFrames = 480_000
  /// Of packets that came, since the last loss of a storm.
  private static let calmFramesAfterStorm = (quiet: 288_000, anywhere: 432_000)
  private static let missingGaps = 8.0
  private static let (leastLoss, keptLoss) = (0.005, 0.002)
  private static let shortFrames = 240
  private static let (burstMargin, greatestBurst) = (0.7, 5.0)
  /// Gaps over which their mean length is taken.
  private static let averagedGaps = 48.0
  /// A single gap does not count.
  private static let tellingGaps = 4.0
  /// Requests go out when the loop wakes, not when they could.
  private static let slackNanoseconds: Int64 = 3_000_000
  /// Time over which losses are averaged: 3 s.
  private static let averagedFrames = 144_000.0

  private let boundNanoseconds: Int64
  /// Distance of the farthest copies; 0: none.
  private(set) var copiesNanoseconds: Int64 = 0
  private var copiesSeenNanoseconds: Int64 = .min / 2
  private var answersNanoseconds: Int64 = 0
  private var gaps = 0.0
  /// `burstPackets` in whole packets, with hysteresis.
  private var expectedBurst = 1.0
  private var neededNanoseconds: Int64 = 0
  private var exhaustedAtNanoseconds: Int64 = .min / 2
  /// Of the packets from the first loss to the last, and of those since.
  private var (lossyFrames, calmFrames) = (0, 0)
  /// Runs of losses, for each packet, when the last was lost.
  private var gapShare = 0.0

  /// Share of packets lost before repair.
  private(set) var lossShare = 0.0
  /// Packets lost in a row, on average.
  private(set) var burstPackets = 1.0
  /// Delay for playout control to add to its target.
  private(set) var delayNanoseconds: Int64 = 0
  /// The part of it not needed for a while.
  private(set) var spareNanoseconds: Int64 = 0

  /// Waits `bound` at most, and 1.8 times that for bursts.
  init(boundNanoseconds bound: Int64) { boundNanoseconds = max(0, bound) }

  /// Adds copies, the farthest so many frames behind its packet.
  mutating func noteCopies(frames: Int, arrivalNanoseconds now: Int64) {
    let reach = MediaClock.nanoseconds(frames: Int64(frames))
    if reach >= copiesNanoseconds || now - copiesSeenNanoseconds > Self.copiesKeptNanoseconds {
      copiesNanoseconds = reach
    }
    if reach == copiesNanoseconds { copiesSeenNanoseconds = now }
  }

  /// Adds a packet with so many missing before it; -1: a missing one that arrived after all.
  mutating func note(missed: Int, frames: Int) {
    let weight = min(0.5, Double(frames) / Self.averagedFrames)
    guard missed >= 0 else {
      lossShare = max(0, lossShare - weight)
      return
    }
    calmFrames += frames
    if missed > 0 {
      lossyFrames = lossShare < Self.keptLoss ? 0 : lossyFrames + calmFrames
      calmFrames = 0
    }
    for _ in 0..<min(missed, 64) { lossShare += (1 - lossShare) * weight }
    lossShare -= lossShare * weight
    if missed > 0 {
      gaps = min(gaps + 1, Self.averagedGaps)
      burstPackets += (min(Double(missed), Self.greatestBurst) - burstPackets) / (gaps + 3)
      gapShare = lossShare / burstPackets
    }
  }

  /// Updates the delay.
  mutating func judge(frames: Int, turnaroundNanoseconds: Int64?, nowNanoseconds now: Int64) {
    answersNanoseconds = answers(frames: frames, turnaroundNanoseconds)
    let areCopiesSeen = now - copiesSeenNanoseconds <= Self.copiesKeptNanoseconds
    if !areCopiesSeen { copiesNanoseconds = 0 }
    // Who sends long packets has time: what comes with the next one is waited for.
    let packet = MediaClock.nanoseconds(frames: Int64(frames))
    let copiesBound = boundNanoseconds == 0 ? 0 : max(boundNanoseconds, packet)
    let isOver = isStormOver(frames: frames)
    neededNanoseconds = isOver ? 0 : max(min(copiesNanoseconds, copiesBound), answersNanoseconds)
    let waver = delayNanoseconds / Self.waverShare
    if neededNanoseconds > delayNanoseconds + waver
      || now - exhaustedAtNanoseconds > Self.spareNanosecondsAfter.anywhere
      || isOver && calmFrames > Self.calmFramesAfterStorm.anywhere
    {
      delayNanoseconds = neededNanoseconds
    }
    if neededNanoseconds >= delayNanoseconds - waver { exhaustedAtNanoseconds = now }
    let isSpare = isOver || now - exhaustedAtNanoseconds > Self.spareNanosecondsAfter.quiet
    spareNanoseconds = isSpare ? delayNanoseconds - neededNanoseconds : 0
  }

  /// Notes spare delay that was removed.
  mutating func shorten(byNanoseconds taken: Int64) {
    let taken = min(taken, spareNanoseconds)
    delayNanoseconds -= taken
    spareNanoseconds -= taken
  }

  private func isStormOver(frames: Int) -> Bool {
    lossyFrames < Self.longestStormFrames && calmFrames > Self.calmFramesAfterStorm.quiet
      && gapShare * Double(calmFrames) > Self.missingGaps * Double(frames)
  }

  private mutating func answers(frames: Int, _ turnaround: Int64?) -> Int64 {
    let least = answersNanoseconds > 0 ? Self.keptLoss : Self.leastLoss
    guard let turnaround, frames > Self.shortFrames, lossShare >= least else { return 0 }
    let packet = Double(MediaClock.nanoseconds(frames: Int64(frames)))
    if gaps >= Self.tellingGaps && abs(burstPackets - expectedBurst) > Self.burstMargin {
      expectedBurst = burstPackets.rounded()
    }
    let isBursty = expectedBurst > 1
    let bound = isBursty ? boundNanoseconds / 5 * 9 : boundNanoseconds
    var packets = isBursty ? 2 * expectedBurst + 1 : 1
    while true {
      let detection = Int64(packet * packets)
      let fits = (bound - detection) / (turnaround + Self.slackNanoseconds)
      if fits > 0 {
        return detection + min(neededTries, fits) * (turnaround + Self.slackNanoseconds)
      }
      guard packets > 1 else { return 0 }
      packets = max(1, packets - expectedBurst)
    }
  }

  /// NACKs per packet until the residual loss is not worth another one.
  private var neededTries: Int64 {
    let failing = 1 - (1 - lossShare) * (1 - lossShare)
    var left = lossShare * failing
    var tries: Int64 = 1
    while left > Self.keptLoss && tries < Int64(NACKGenerator.mostAsks) {
      left *= failing
      tries += 1
    }
    return tries
  }
}
