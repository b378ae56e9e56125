/// Tells a step of the path's delay from a spike, packet by packet.
///
/// A step is another way, a sender whose time line stood still, a queue that filled: what came before says nothing of
/// what comes now. A spike holds packets back and lets them go all at once; the next one is in time again.
///
/// States: calm; a run of packets later than nearly all before, or of earlier ones than any before. Events: an arrival.
/// - calm → run: a packet `leastNanoseconds` outside of what is known, which is what is compared with from then on.
/// - run → calm: a packet that is not; or so many that came at once that nothing is proven.
/// - run, later, `upNanoseconds` of sound long, come over half the time at least, and with a spread below its height (a
///   queue that fills is a ramp): a step up. Until then all of them are late, so that is soon.
/// - run, earlier, `downNanoseconds` long: a step down. Nothing is late meanwhile, so that can wait.
struct DelayStep {
  /// What an arrival proves.
  enum Verdict: Equatable {
    case nothing
    /// The path takes so much longer; the last `count` packets came by it.
    case up(nanoseconds: Int64, count: Int)
    /// It takes less; the last `count` packets came by it.
    case down(count: Int)
  }

  /// Smaller steps are followed by the rate of late packets just as well.
  private static let leastNanoseconds: Int64 = 10_000_000
  /// Two packets of 40 ms, five of 10: who makes more of them waits longer than 100 ms in all.
  private static let upNanoseconds: Int64 = 40_000_000
  private static let downNanoseconds: Int64 = 1_000_000_000
  /// More cannot be a step's beginning, but only what a spike lets go.
  static let mostHeld = 32

  private enum Direction { case up, down }
  private var direction: Direction?
  private var beforeNanoseconds: (least: Int64, most: Int64) = (0, 0)
  private var (firstMedia, firstArrival): (Int64, Int64) = (0, 0)
  private var (leastNanoseconds, mostNanoseconds): (Int64, Int64) = (0, 0)
  private var count = 0

  /// Forgets the run.
  mutating func restart() { direction = nil }

  /// Whether the last packets may be the beginning of a step up.
  var isRising: Bool { direction == .up }

  /// Takes a packet's arrival.
  ///
  /// - Parameters:
  ///   - least: the least transit of the packets before.
  ///   - most: the transit that nearly all of them keep.
  mutating func add(
    arrivalNanoseconds arrival: Int64, mediaNanoseconds media: Int64, least: Int64, most: Int64
  ) -> Verdict {
    let transit = arrival - media
    if let direction, !goesOn(direction, transit) { self.direction = nil }
    guard let direction else {
      begin(transit, arrival: arrival, media: media, least: least, most: most)
      return .nothing
    }
    count += 1
    leastNanoseconds = min(leastNanoseconds, transit)
    mostNanoseconds = max(mostNanoseconds, transit)
    let (sound, time) = (media - firstMedia, arrival - firstArrival)
    switch direction {
    case .up:
      let height = leastNanoseconds - beforeNanoseconds.least
      let isLong = sound >= Self.upNanoseconds && 2 * time >= Self.upNanoseconds
      if isLong && mostNanoseconds - leastNanoseconds <= height {
        self.direction = nil
        return .up(nanoseconds: height, count: count)
      }
      if count == Self.mostHeld { self.direction = nil }
    case .down where sound >= Self.downNanoseconds:
      self.direction = nil
      return .down(count: count)
    case .down: break
    }
    return .nothing
  }

  private func goesOn(_ direction: Direction, _ transit: Int64) -> Bool {
    switch direction {
    case .up: transit > beforeNanoseconds.most
    case .down: transit < beforeNanoseconds.least - Self.leastNanoseconds
    }
  }

  private mutating func begin(
    _ transit: Int64, arrival: Int64, media: Int64, least: Int64, most: Int64
  ) {
    if transit > max(most, least + Self.leastNanoseconds) {
      direction = .up
    } else if transit < least - Self.leastNanoseconds {
      direction = .down
    } else {
      return
    }
    beforeNanoseconds = (least, max(most, least + Self.leastNanoseconds))
    (firstMedia, firstArrival, leastNanoseconds, count) = (media, arrival, transit, 1)
    mostNanoseconds = transit
  }
}
