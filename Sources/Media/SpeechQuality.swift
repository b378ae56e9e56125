/// Estimates how speech sounds, as a transmission rating from 0 to 100 in the shape of ITU-T G.107
/// (§7.1): R = 100 - the impairments by delay, coding and loss.
///
/// Constants are fitted to PESQ-WB of real speech through libopus 1.3.1 (trials over emulated links, and
/// `OpusEncoder.defaultComplexity`), turned into R by the inverse of G.107 annex B: 4.42 at 48 kbit/s is
/// 95, 4.26 at 32 is 88, 3.97 at 24 is 78. With them each scheme in the trials' table comes out
/// within 0.35 of its PESQ.
public enum SpeechQuality {
  /// Impairment by coding at a bit rate, in packets of 10 ms.
  private static let coding: [(bitsPerSecond: Double, impairment: Double)] = [
    (6_000, 70), (12_000, 50), (16_000, 37), (24_000, 22), (32_000, 12), (48_000, 5), (64_000, 4),
    (96_000, 2), (128_000, 0),
  ]
  /// The same of the speech mode, up to 8 kHz, in packets of 20 ms: PESQ-WB 3.46 / 3.99 / 4.24 at 12 / 16 / 20 kbit/s
  /// in one call of four talkers, 4.29 at 24 in packets of 10.
  private static let speechCoding: [(bitsPerSecond: Double, impairment: Double)] = [
    (6_000, 70), (12_000, 38), (16_000, 22), (20_000, 13), (24_000, 10), (32_000, 8), (48_000, 5),
    (64_000, 4), (96_000, 2), (128_000, 0),
  ]
  /// The same with in-band FEC, in packets of 40 ms: PESQ-WB 3.72 / 3.82 / 3.95 / 4.14 at 20 / 22 / 24 / 28 kbit/s;
  /// 3.55 / 3.67 / 3.86 / 4.08 in those of 20.
  private static let speechCodingWithFEC: [(bitsPerSecond: Double, impairment: Double)] = [
    (16_000, 45), (20_000, 27), (22_000, 25), (24_000, 22), (28_000, 17), (32_000, 13),
  ]
  /// Robustness against loss (Bpl): plain concealment keeps 3.24 / 2.51 / 1.87 of 4.42 at 5 / 10 / 20 %
  /// lost at 10 ms, and 2.26 / 1.72 / 1.27 at 5 ms, where frames lean on each other more.
  private static let robustness = (short: 4.5, long: 9.0)
  private static let longFrames = 480
  /// What total loss leaves (G.107 §7.5).
  private static let greatestLossImpairment = 95.0

  /// Impairment by coding; shorter packets need more bits for the same quality.
  ///
  /// - Parameters:
  ///   - isSpeech: coded by the codec's speech mode, of packets of 10 ms and more.
  ///   - hasFEC: some of the bits are in-band FEC; in the speech mode only.
  public static func codingImpairment(
    bitsPerSecond: Int, framesPerPacket: Int, isSpeech: Bool = false, hasFEC: Bool = false
  ) -> Double {
    if isSpeech && hasFEC {
      let factor = framesPerPacket < 1920 ? 0.95 : 1
      return impairment(at: Double(bitsPerSecond) * factor, of: speechCodingWithFEC)
    }
    if isSpeech {
      let factor = framesPerPacket < 960 ? 0.85 : 1
      return impairment(at: Double(bitsPerSecond) * factor, of: speechCoding)
    }
    let factor =
      switch framesPerPacket {
      case ..<240: 0.55
      case ..<480: 0.75
      case ..<960: 1.0
      default: 1.2
      }
    return impairment(at: Double(bitsPerSecond) * factor, of: coding)
  }

  private static func impairment(
    at rate: Double, of curve: [(bitsPerSecond: Double, impairment: Double)]
  ) -> Double {
    var below = curve[0]
    for point in curve {
      if rate < point.bitsPerSecond {
        guard point.bitsPerSecond > below.bitsPerSecond else { return point.impairment }
        let share = (rate - below.bitsPerSecond) / (point.bitsPerSecond - below.bitsPerSecond)
        return below.impairment + share * (point.impairment - below.impairment)
      }
      below = point
    }
    return below.impairment
  }

  /// Impairment by concealed frames (Ie,eff - Ie of G.107 §7.5).
  ///
  /// - Parameters:
  ///   - share: of the frames, 0...1.
  ///   - burstRatio: how many in a row, against what chance alone would do; 1 and above.
  public static func lossImpairment(
    share: Double, burstRatio: Double = 1, framesPerPacket: Int, coding: Double
  ) -> Double {
    guard share > 0 else { return 0 }
    let percent = 100 * min(share, 1)
    let bpl = framesPerPacket < longFrames ? robustness.short : robustness.long
    return max(0, greatestLossImpairment - coding) * percent
      / (percent / max(1, burstRatio) + bpl)
  }

  /// Impairment by frames replaced with their low-rate coding.
  ///
  /// 4.26 falls to 4.10 / 3.68 / 3.01 at 5 / 10 / 20 %, of which 0.07 / 0.23 / 0.25 are not loss. Packets below 10 ms
  /// lean on each other more: of 2.5 ms, PESQ-WB falls by 0.22 at 1 %, and by 0.05 at most with whole copies.
  static func leanImpairment(share: Double, framesPerPacket: Int) -> Double {
    framesPerPacket < longFrames ? min(20, 300 * max(0, share)) : min(7, 80 * max(0, share))
  }

  /// Impairment by mouth-to-ear delay: the approximation of G.107's Idd by Cole and
  /// Rosenbluth ("Voice over IP performance monitoring", 2001).
  public static func delayImpairment(milliseconds: Double) -> Double {
    max(0, 0.024 * milliseconds) + max(0, 0.11 * (milliseconds - 177.3))
  }
}
