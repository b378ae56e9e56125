/// Tests whether a lower rate reduces loss: on a path whose queue was full from the start, only that tells congestion
/// from radio loss.
///
/// Of reports of a way that is not longer: after three in a row with a quarter and more lost less is to be sent; three
/// later half as much loss, or less, shows a queue. Else, and where the way gets longer meanwhile, it was in vain, and
/// is not tried again for two minutes.
struct LossTrial {
  /// The outcome of a report.
  enum Outcome: Equatable {
    /// Nothing.
    case none
    /// Send less.
    case begins
    /// So much may be sent again; nil: as much as is configured.
    case wasInVain(wireBits: Int?)
  }

  private static let (lossyReports, judgingReports, patienceReports) = (3, 3, 120)

  private struct Begun {
    var lostShare: Double
    var wireBits: Int?
    var reports = 0
  }

  private let leastLoss: Double
  private var begun: Begun?
  private var lossy = 0
  private var wait = 0

  /// So much is to be lost at least.
  init(leastLoss: Double) { self.leastLoss = leastLoss }

  /// Adds a report without a rise in delay.
  ///
  /// - Parameters:
  ///   - wireBits: what may be sent now.
  ///   - mayBegin: whether nothing else is being tried.
  mutating func observe(lostShare: Double, wireBits: Int?, mayBegin: Bool) -> Outcome {
    wait = max(0, wait - 1)
    if var trial = begun {
      trial.reports += 1
      begun = trial
      guard trial.reports >= Self.judgingReports else { return .none }
      if 2 * lostShare > trial.lostShare { return end() }
      begun = nil
      return .none
    }
    lossy = lostShare > leastLoss ? lossy + 1 : 0
    guard lossy >= Self.lossyReports, wait == 0, mayBegin else { return .none }
    begun = Begun(lostShare: lostShare, wireBits: wireBits)
    lossy = 0
    return .begins
  }

  /// Ends the test because the delay rose: it proves nothing, and must not lower the rate each time.
  mutating func end() -> Outcome {
    lossy = 0
    guard let trial = begun.take() else { return .none }
    wait = Self.patienceReports
    return .wasInVain(wireBits: trial.wireBits)
  }
}
