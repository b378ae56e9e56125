public import StatusSchema

/// What a listener said of the talker, and when.
public struct QualityLook: Sendable {
  /// Sound is still moved by what has just come, by periods and codec frames.
  private static let slackNanoseconds: Int64 = 20_000_000

  /// From asking to the answer, nanoseconds of CLOCK_MONOTONIC.
  public var moment: ClosedRange<Int64>
  /// What it said.
  public var status: PeerStatus

  /// A look.
  public init(moment: ClosedRange<Int64>, status: PeerStatus) {
    self.moment = moment
    self.status = status
  }

  /// Codec frames made up while no drought of the radio explains them,
  /// in percent of the packets that came or should have.
  ///
  /// What was made up between two looks is a drought's where that began before the second, and the sound that it held
  /// up can have been due after the first: until its end and the playout delay are over.
  ///
  /// - Returns: nil: there were no packets.
  public static func concealedOutside(
    _ droughts: [Range<Int64>], _ looks: [Self]
  ) -> Double? {
    guard let first = looks.first?.status, let last = looks.last?.status else { return nil }
    let packets = last.received + last.lost - first.received - first.lost
    guard packets > 0 else { return nil }
    let outside = zip(looks, looks.dropFirst()).reduce(0) { sum, pair in
      let (before, after) = pair
      let delay = max(
        before.status.playoutDelayMilliseconds, after.status.playoutDelayMilliseconds)
      let reach = Int64(delay * 1e6) + Self.slackNanoseconds
      let isDrought = droughts.contains {
        $0.lowerBound <= after.moment.upperBound
          && $0.upperBound + reach >= before.moment.lowerBound
      }
      return sum + (isDrought ? 0 : after.status.concealed - before.status.concealed)
    }
    return 100 * Double(outside) / Double(packets)
  }
}
