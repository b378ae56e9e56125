import Audio
import Media

/// Where JACK's beat stands and when the media loop must act on it.
///
/// Loop thread only.
///
/// The audio thread wakes the loop when a codec frame is captured, at most once a period. What peers sent since is
/// decoded as late as possible, a lead ahead of the next callback, so that a packet that arrives late in the period is
/// still heard in the next one: without that second look each packet would wait up to a period longer (1.3 ms at P =
/// 64).
///
/// The next callback is predicted from when callbacks really ran, not from JACK's cycle times: jack2's filter
/// (a DLL with a time constant of more than a second) was seen 1.5 ms late and 7 ms early for seconds after its driver
/// had slipped. Here a callback that comes early moves the prediction at once; later ones move it, when all of a
/// window of them were late, by the least of their latenesses.
struct Beat {
  /// Without a beat for so long, or for two periods, JACK is taken for stopped;
  /// long enough for a heavily delayed server.
  private static let staleNanoseconds: Int64 = 200_000_000
  /// How often the socket is drained at least: so late may a new talker be noticed, or a request for a lost packet.
  private static let drainNanoseconds: Int64 = 5_000_000
  /// The same while others play, whose decoding drains it too, and without JACK, when only reports can come.
  ///
  /// Packets of 10 ms are captured in up to 10.7 ms with 64, 128 and 256 frames, and no look is to come just before.
  private static let relaxedDrainNanoseconds: Int64 = 12_000_000
  /// The same where a datagram wakes the loop by itself; short enough that the capture ring does not overflow at 192
  /// kHz, and JACK is not taken for stopped.
  private static let alertNanoseconds: Int64 = 50_000_000
  /// Looks at callbacks that must all be late before the prediction gives in: about 80 ms.
  private static let windowCallbacks = 32
  /// Decoding begins at most so long before its callback, or a period: time for 64 streams of 60 µs.
  private static let mostLeadNanoseconds: Int64 = 4_000_000

  private(set) var isRunning = false
  private(set) var periodFrames = 0
  private(set) var sampleRate = 48_000
  /// The number of the last callback.
  private(set) var callbackCount: UInt64 = 0
  private var knownRate = 48_000
  /// Frames of all periods up to the last callback's.
  private var frames: Int64 = 0
  /// The first frame of the last callback on a line that goes on while JACK does not run, then by the clock.
  private(set) var lineFrames: Int64 = 0
  private var callbackNanoseconds: Int64?
  /// Frames by which the clock moved the line on, in case that the count of periods does so, too, a callback or some
  /// later.
  private var clockedFrames: Int64 = 0
  private var clockedCallbacks = 0
  /// When the last callback should have run.
  private var anchorNanoseconds: Int64 = 0
  private var leastLatenessNanoseconds: Int64 = .max
  private var windowCount = 0

  /// Takes over the last period's times.
  mutating func update(_ period: PeriodTime?, nowNanoseconds: Int64) {
    guard let period,
      nowNanoseconds - period.callbackNanoseconds < Self.staleNanoseconds(period)
    else {
      isRunning = false
      return
    }
    let isContinuous =
      isRunning && period.periodFrames == periodFrames && period.sampleRate == sampleRate
    let elapsed = Int64(bitPattern: period.count &- callbackCount)
    isRunning = true
    periodFrames = period.periodFrames
    sampleRate = period.sampleRate
    callbackCount = period.count
    if elapsed > 0 && isContinuous { frames += elapsed * Int64(periodFrames) }
    followLine(period, elapsedPeriods: isContinuous ? elapsed : nil)
    guard isContinuous, (0...Int64(Self.windowCallbacks)).contains(elapsed) else {
      restart(at: period.callbackNanoseconds)
      return
    }
    if elapsed > 0 { follow(period.callbackNanoseconds, elapsedPeriods: elapsed) }
  }

  private static func staleNanoseconds(_ period: PeriodTime) -> Int64 {
    max(staleNanoseconds, 2_000_000_000 * Int64(period.periodFrames) / Int64(period.sampleRate))
  }

  /// Where on the line the first frame of a callback is that came since the last one taken over.
  ///
  /// Not by the count of callbacks alone: that of a hole, which the clock has told before, may come with them.
  func lineFrames(at period: PeriodTime) -> Int64 {
    let elapsed = Int64(bitPattern: period.count &- callbackCount)
    guard elapsed > 0 else { return lineFrames }
    var next = self
    next.followLine(period, elapsedPeriods: elapsed)
    return next.lineFrames
  }

  /// `elapsedPeriods` nil: JACK did not run all the time, or not with this period.
  private mutating func followLine(_ period: PeriodTime, elapsedPeriods: Int64?) {
    if let elapsedPeriods {
      lineFrames += uncountedFrames(max(0, elapsedPeriods) * Int64(period.periodFrames), period)
    } else if let before = callbackNanoseconds {
      let passed = Double(max(0, period.callbackNanoseconds - before))
      clockedFrames = Int64(passed * 1e-9 * Double(period.sampleRate))
      clockedCallbacks = Self.windowCallbacks
      lineFrames += clockedFrames
    }
    callbackNanoseconds = period.callbackNanoseconds
  }

  /// What of the frames of periods that were run or missed the clock has not told before.
  private mutating func uncountedFrames(_ frames: Int64, _ period: PeriodTime) -> Int64 {
    guard clockedCallbacks > 0 else { return frames }
    clockedCallbacks -= 1
    let missed = frames - Int64(period.periodFrames)
    guard missed > 0, 2 * missed > clockedFrames else { return frames }
    clockedCallbacks = 0
    // The two agree to within an eighth and some periods (rt_hole.c): that is no time to be made up for.
    let (more, periodFrames) = (missed - clockedFrames, Int64(period.periodFrames))
    guard more <= clockedFrames / 8 + 2 * periodFrames else { return periodFrames + more }
    return periodFrames * max(1, runPeriods(until: period))
  }

  /// The periods since the last callback, by the clock: the count of them has the hole in it.
  private func runPeriods(until period: PeriodTime) -> Int64 {
    let passed = period.callbackNanoseconds - (callbackNanoseconds ?? period.callbackNanoseconds)
    return (passed + periodNanoseconds / 2) / max(1, periodNanoseconds)
  }

  private mutating func restart(at callbackNanoseconds: Int64) {
    anchorNanoseconds = callbackNanoseconds
    leastLatenessNanoseconds = .max
    windowCount = 0
  }

  private mutating func follow(_ callbackNanoseconds: Int64, elapsedPeriods: Int64) {
    anchorNanoseconds += elapsedPeriods * periodNanoseconds
    let lateness = callbackNanoseconds - anchorNanoseconds
    guard lateness > 0 else {
      restart(at: callbackNanoseconds)
      return
    }
    leastLatenessNanoseconds = min(leastLatenessNanoseconds, lateness)
    windowCount += 1
    guard windowCount == Self.windowCallbacks else { return }
    anchorNanoseconds += leastLatenessNanoseconds
    leastLatenessNanoseconds = .max
    windowCount = 0
  }

  /// True once after the sample rate changed.
  mutating func rateChanged() -> Bool {
    defer { knownRate = sampleRate }
    return knownRate != sampleRate
  }

  /// Duration of a period; 0 before the first.
  var periodNanoseconds: Int64 { Int64(periodFrames) * 1_000_000_000 / Int64(sampleRate) }

  /// How long before a callback decoding begins at most; with short periods a crowd needs more than one of them.
  func leadNanoseconds(wanted: Int64) -> Int64 {
    min(wanted, max(periodNanoseconds, Self.mostLeadNanoseconds))
  }

  /// The next callback, and the last moment to begin decoding for it; only while running.
  func grid(leadNanoseconds: Int64) -> PlayoutGrid {
    PlayoutGrid(
      beatNanoseconds: anchorNanoseconds + periodNanoseconds,
      beatFrames: frames + Int64(periodFrames), periodNanoseconds: periodNanoseconds,
      leadNanoseconds: self.leadNanoseconds(wanted: leadNanoseconds))
  }

  /// When the frame after `fillFrames` waiting frames leaves at the ports.
  func playoutNanoseconds(fillFrames: Int) -> Int64 {
    anchorNanoseconds + periodNanoseconds + Int64(fillFrames) * 1_000_000_000 / Int64(sampleRate)
  }

  /// The longest the loop may sleep before it looks at the socket; a timer also where JACK does not beat.
  ///
  /// `isAlert`: the next datagram wakes it. `isHasty`: a new talker may come, or requests and their answers.
  func drainNanoseconds(isAlert: Bool, isHasty: Bool) -> Int64 {
    guard !isAlert else { return Self.alertNanoseconds }
    guard isRunning, isHasty else { return Self.relaxedDrainNanoseconds }
    return max(Self.drainNanoseconds, periodNanoseconds)
  }
}
