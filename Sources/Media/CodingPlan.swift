/// Chooses how the one coding for all receivers is made: bit rate, and where a way takes less than the
/// voice needs, as a last resort, packet duration and the codec's speech mode.
///
/// IP, UDP and RTP headers take 77 kbit/s in packets of 5 ms, 38 in 10, 19 in 20, 10 in 40 and 6 in 60: on a way
/// of 64 kbit/s longer packets leave more for the voice than any bit rate. And the speech mode keeps at 20 kbit/s
/// (PESQ-WB 4.08 in packets of 10 ms, 4.24 of 20 and 40) what the low-delay mode has at 32 (3.37 at 20).
///
/// Each way of coding has a `RepairPlan` of its own, and the ratings of its best recipes count, less what its delay
/// takes away. Against flapping: what is coded now is preferred, more so where the change is of more than the bit
/// rate; whoever applies it waits for a second opinion.
///
/// There is one coding for all, so what a narrow way needs the others bear: on average 5 points each for every receiver in need, and
/// no more. Where nothing within that fits its way, a narrow one gets packets of the usual length at the low rate, and of these what
/// its way lets through.
///
/// As soon as no way is narrow, the usual coding holds again:
/// `CongestionWatch` has tried by then, step by step and with growing patience, that there is room.
public struct CodingPlan: Sendable {
  /// A talk suffers more from longer packets than a listener: 10 ms take 2.5.
  private static let impairmentPerMillisecond = 0.25
  /// The speech mode looks 4 ms further ahead.
  private static let speechMilliseconds = 4.0
  /// Up to 8 kHz more is not heard.
  private static let mostSpeechBitsPerSecond = 32_000
  private static let rateMargin = 0.5
  /// What a narrow way may take from each of the others.
  private static let mostBurden = 5.0
  private static let impairmentPerKilobit = 0.001
  private static let codingMargin = 3.0
  /// The durations that help; the low-delay mode gains nothing beyond 20 ms.
  private static let longerFrames = [960, 1920, 2880]
  private static let (leastSpeechFrames, mostLowDelayFrames) = (480, 960)

  private struct Choice {
    var plan: RepairPlan
    /// What its delay takes away from each receiver.
    var delayImpairment: Double
  }

  /// The usual coding first.
  private let choices: [Choice]
  /// What holds where nothing is amiss.
  public let usual: VoiceCoding

  /// Makes a plan.
  ///
  /// - Parameters:
  ///   - usual: what holds where nothing is amiss.
  ///   - hasSpeechMode: whether the talker can change to it; what is `usual` it has anyway.
  public init(usual: VoiceCoding, hasSpeechMode: Bool) {
    self.usual = usual
    var codings = [(frames: usual.framesPerPacket, isSpeech: usual.isSpeech)]
    for frames in [480] + Self.longerFrames where frames >= usual.framesPerPacket {
      let isLonger = frames > usual.framesPerPacket
      if hasSpeechMode, !usual.isSpeech, frames >= Self.leastSpeechFrames {
        codings.append((frames, true))
      }
      if isLonger, usual.isSpeech || frames <= Self.mostLowDelayFrames {
        codings.append((frames, usual.isSpeech))
      }
    }
    choices = codings.map { frames, isSpeech in
      let longer = Double(frames - usual.framesPerPacket) / 48
      let later = isSpeech && !usual.isSpeech ? Self.speechMilliseconds : 0
      let most = isSpeech == usual.isSpeech ? usual.bitsPerSecond : Self.mostSpeechBitsPerSecond
      return Choice(
        plan: RepairPlan(
          VoiceCoding(
            framesPerPacket: frames, bitsPerSecond: min(most, usual.bitsPerSecond),
            isSpeech: isSpeech)),
        delayImpairment: (longer + later) * Self.impairmentPerMillisecond)
    }
  }

  /// The plan of the recipes that go with a coding.
  public func recipes(of coding: VoiceCoding) -> RepairPlan {
    choice(of: coding).plan
  }

  /// The coding with which the receivers' ratings add up to most.
  public func coding(for needs: [RepairPlan.Need], current: VoiceCoding) -> VoiceCoding {
    let isNarrow = needs.contains { $0.wayBitsPerSecond != nil }
    let most = leastForOthers(needs)
    var best = (coding: current, sum: -Double.infinity)
    for choice in isNarrow ? choices[...] : choices.prefix(1) {
      let plan = choice.plan
      for rate in plan.rates {
        let coding = VoiceCoding(
          framesPerPacket: plan.framesPerPacket, bitsPerSecond: rate, isSpeech: plan.isSpeech)
        let (narrow, others) = ratings(of: needs, choice: choice, full: rate)
        guard others >= most else { continue }
        var sum = narrow + others
        if coding == current || coding.differsInRateOnly(from: current) {
          sum += Self.codingMargin * Double(needs.count)
        }
        if coding == current { sum += Self.rateMargin * Double(needs.count) }
        // What nobody can be sent needs not be coded.
        sum -= Self.impairmentPerKilobit * Double(rate) / 1000
        if sum > best.sum { best = (coding, sum) }
      }
    }
    return best.coding
  }

  /// The sums of what those on narrow ways get, and the others.
  private func ratings(
    of needs: [RepairPlan.Need], choice: Choice, full: Int
  ) -> (narrow: Double, others: Double) {
    var sums = (narrow: 0.0, others: 0.0)
    for need in needs {
      let rating =
        choice.plan.best(for: need, full: full, advantage: 0).rating - choice.delayImpairment
      if need.wayBitsPerSecond == nil {
        sums.others += rating
      } else {
        sums.narrow += rating
      }
    }
    return sums
  }

  /// What those without a narrow way must be left of the best that they could have.
  private func leastForOthers(_ needs: [RepairPlan.Need]) -> Double {
    let others = needs.count { $0.wayBitsPerSecond == nil }
    let burden = Self.mostBurden * Double(needs.count - others)
    guard others > 0, burden > 0 else { return -.infinity }
    let best = choices[0].plan.rates.map {
      ratings(of: needs, choice: choices[0], full: $0).others
    }.max()
    return (best ?? 0) - burden * Double(others)
  }

  private func choice(of coding: VoiceCoding) -> Choice {
    choices.first {
      $0.plan.framesPerPacket == coding.framesPerPacket && $0.plan.isSpeech == coding.isSpeech
    } ?? choices[0]
  }
}
