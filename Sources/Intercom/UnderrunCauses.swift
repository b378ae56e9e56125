/// Why a callback found nothing to play of a peer that talked; see ``Punctuality``.
enum UnderrunCause: String, CaseIterable {
  case callbacks, wakeUps, work
}

/// Frames that callbacks did not find, by cause.
struct UnderrunCauses {
  private var frames = InlineArray<3, Int>(repeating: 0)

  /// Counts.
  mutating func add(_ count: Int, _ cause: UnderrunCause) {
    switch cause {
    case .callbacks: frames[0] += count
    case .wakeUps: frames[1] += count
    case .work: frames[2] += count
    }
  }

  /// Periods by the cause's name; only causes that happened.
  func periods(ofFrames periodFrames: Int) -> [String: Int] {
    var result: [String: Int] = [:]
    for (index, cause) in UnderrunCause.allCases.enumerated() where frames[index] > 0 {
      result[cause.rawValue] = max(1, frames[index] / max(periodFrames, 1))
    }
    return result
  }
}
