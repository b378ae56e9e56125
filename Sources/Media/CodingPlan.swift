/// Chooses the one coding for all receivers: bit rate, in-band FEC, and, as a last resort where a link is narrower than
/// the voice, packet duration and the codec's speech mode.
///
/// IP, UDP and RTP headers take 77 kbit/s in packets of 5 ms, 38 in 10, 19 in 20, 10 in 40 and 6 in 60: on a link
/// of 64 kbit/s longer packets leave more for the voice than any bit rate. And the speech mode keeps at 20 kbit/s
/// (PESQ-WB 4.08 in packets of 10 ms, 4.24 of 20 and 40) what the low-delay mode has at 32 (3.37 at 20).
///
/// Each way of coding has a `RepairPlan` of its own, and the ratings of its best recipes count, less what its delay
/// costs. Against flapping, the present coding has an advantage, a greater one where more than the bit rate would
/// change; the caller waits for a second opinion.
///
/// There is one coding for all, so what a narrow way needs the others bear: on average 5 points each for every receiver
/// in need, and no more. Where nothing within that fits its way, a narrow one gets packets of the usual length at the
/// low rate, and of these what its way lets through.
///
/// Once no link is narrow, the usual coding returns:
/// `CongestionWatch` has probed by then, step by step and at growing intervals, that there is room.
///
/// In-band FEC takes its bits from everybody's voice, and is for who loses packets and has neither the bit rate for
/// copies nor a way short enough to ask again. So it is chosen only if no receiver is rated noticeably lower with it
/// than without: one that hears everything, or whose copies fit, forbids it to the rest.
/// Nor is it chosen while any way is narrow.
public struct CodingPlan: Sendable {
  /// A conversation suffers more from longer packets than a listener does: 10 ms cost 2.5.
  private static let impairmentPerMillisecond = 0.25
  /// The speech mode looks 4 ms further ahead.
  private static let speechMilliseconds = 4.0
  /// Up to 8 kHz more is not heard.
  private static let mostSpeechBitsPerSecond = 32_000
  private static let rateMargin = 0.5
  /// What a narrow link may cost each of the others.
  private static let mostBurden = 5.0
  private static let impairmentPerKilobit = 0.001
  private static let codingMargin = 3.0
  /// The durations that help; the low-delay mode gains nothing beyond 20 ms.
  private static let longerFrames = [960, 1920, 2880]
  private static let (leastSpeechFrames, mostLowDelayFrames) = (480, 960)
  /// Packets of 60 ms are too late for FEC.
  ///
  /// Of 24 kbit/s in packets of 20 and 40 ms, 10 % lost leave PESQ-WB 3.30 and 3.33 with FEC, 2.10 and 2.16 without.
  private static let framesWithFEC = [960, 1920]
  /// The loss that the codec is set to expect, whatever the real loss.
  ///
  /// The more, the finer the FEC and the less is left to the voice: at 24 kbit/s PESQ-WB
  /// is 3.95 on a clean way told 7, 3.89 told 10 and 3.42 told 20; at 10 % lost 3.33 told 7 and 3.35 told 10. Told 5
  /// and less, libopus 1.3.1 makes none at these bit rates.
  private static let expectedLossPercent = 7
  /// As with copies, the bit rate is for the voice: so much more may go into the two together.
  private static let greatestShareWithFEC = 1.4
  /// A loss of rating this small goes unnoticed, and a smaller gain is not worth a change.
  private static let fecMargin = 2.0

  private struct Choice {
    var plan: RepairPlan
    /// What its delay costs each receiver.
    var delayImpairment: Double
  }

  private struct Rated {
    var coding: VoiceCoding
    var ratings: [Double] = []
    var sum = -Double.infinity
  }

  /// The usual coding first.
  private let choices: [Choice]
  /// The usual coding with in-band FEC, where there is such.
  private let choicesWithFEC: [Choice]
  /// The coding while nothing is wrong.
  public let usual: VoiceCoding

  /// Makes a plan.
  ///
  /// - Parameters:
  ///   - usual: the coding while nothing is wrong.
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
    choicesWithFEC = choices.prefix(1).compactMap(Self.withFEC)
  }

  /// The plan of the recipes that go with a coding.
  public func recipes(of coding: VoiceCoding) -> RepairPlan {
    choice(of: coding).plan
  }

  /// The coding with which the receivers' ratings add up to most, of those with FEC only one that harms none.
  public func coding(for needs: [RepairPlan.Need], current: VoiceCoding) -> VoiceCoding {
    let isNarrow = needs.contains { $0.wayBitsPerSecond != nil }
    let most = leastForOthers(needs)
    var best = Rated(coding: current)
    for choice in isNarrow ? choices[...] : choices.prefix(1) {
      consider(choice, needs, current, &best) { Self.ofOthers($0, needs) >= most }
    }
    // What is lost on a narrow way is lost because it is narrow.
    guard !isNarrow, needs.contains(where: { $0.losses.lostShare > 0 }) else { return best.coding }
    let without = best.ratings
    for choice in choicesWithFEC {
      consider(choice, needs, current, &best) { ratings in
        zip(ratings, without).allSatisfy { $0 >= $1 - Self.fecMargin }
      }
    }
    return best.coding
  }

  /// Adopts a choice's best rate if it beats the best so far.
  private func consider(
    _ choice: Choice, _ needs: [RepairPlan.Need], _ current: VoiceCoding, _ best: inout Rated,
    isAllowed: ([Double]) -> Bool
  ) {
    let plan = choice.plan
    for rate in plan.rates {
      let coding = VoiceCoding(
        framesPerPacket: plan.framesPerPacket, bitsPerSecond: rate, isSpeech: plan.isSpeech,
        expectedLossPercent: plan.expectedLossPercent)
      let ratings = ratings(of: needs, choice: choice, full: rate)
      guard isAllowed(ratings) else { continue }
      var margin = 0.0
      if coding == current || coding.differsInRateOnly(from: current) {
        margin += Self.codingMargin
        if coding.hasFEC != current.hasFEC { margin -= Self.fecMargin }
      }
      if coding == current { margin += Self.rateMargin }
      // What nobody can be sent needs not be coded.
      let sum =
        ratings.reduce(0) { $0 + $1 + margin } - Self.impairmentPerKilobit * Double(rate) / 1000
      if sum > best.sum { best = Rated(coding: coding, ratings: ratings, sum: sum) }
    }
  }

  private func ratings(
    of needs: [RepairPlan.Need], choice: Choice, full: Int
  ) -> [Double] {
    needs.map {
      choice.plan.best(for: $0, full: full, advantage: 0).rating - choice.delayImpairment
    }
  }

  /// Sum of the ratings of receivers without a narrow link.
  private static func ofOthers(_ ratings: [Double], _ needs: [RepairPlan.Need]) -> Double {
    zip(ratings, needs).reduce(0) { $1.1.wayBitsPerSecond == nil ? $0 + $1.0 : $0 }
  }

  /// The rating that receivers without a narrow link must keep, of their best.
  private func leastForOthers(_ needs: [RepairPlan.Need]) -> Double {
    let others = needs.count { $0.wayBitsPerSecond == nil }
    let burden = Self.mostBurden * Double(needs.count - others)
    guard others > 0, burden > 0 else { return -.infinity }
    let best = choices[0].plan.rates.map {
      Self.ofOthers(ratings(of: needs, choice: choices[0], full: $0), needs)
    }.max()
    return (best ?? 0) - burden * Double(others)
  }

  private static func withFEC(_ choice: Choice) -> Choice? {
    let plan = choice.plan
    guard plan.isSpeech, framesWithFEC.contains(plan.framesPerPacket), let rate = plan.rates.first
    else {
      return nil
    }
    let coding = VoiceCoding(
      framesPerPacket: plan.framesPerPacket,
      bitsPerSecond: Int(Double(rate) * greatestShareWithFEC), isSpeech: true,
      expectedLossPercent: expectedLossPercent)
    let planWithFEC = RepairPlan(coding)
    return planWithFEC.rates.isEmpty
      ? nil : Choice(plan: planWithFEC, delayImpairment: choice.delayImpairment)
  }

  private func choice(of coding: VoiceCoding) -> Choice {
    (coding.hasFEC ? choicesWithFEC : choices).first {
      $0.plan.framesPerPacket == coding.framesPerPacket && $0.plan.isSpeech == coding.isSpeech
    } ?? choices[0]
  }
}
