import Audio
import Lines

/// What gives way to what in the user's ear, as it was set, and what the audio thread is told of it.
///
/// Loop thread only.
final class Ear {
  private let engine: AudioEngine
  private(set) var settings = EarSettings()

  init(engine: AudioEngine) { self.engine = engine }

  /// Takes what was set; rare.
  func follow(_ settings: EarSettings) {
    guard settings != self.settings else { return }
    self.settings = settings
    apply()
  }

  /// The audio thread has what was set from now on.
  func apply() {
    engine.setVolume(settings.volume, isSidetoneTracking: settings.isSidetoneTracking)
    engine.setCeiling(settings.ceiling)
    let ranks: [(priority: Int?, rank: SlotRank)] =
      [(nil, .program)] + EarSettings.priorities.map { ($0, SlotRank.ofPriorities[$0]) }
    for (priority, rank) in ranks {
      engine.setTalkDim(settings.talkDim(of: priority), of: rank)
      for heard in EarSettings.priorities {
        let dim = settings.dim(of: priority, while: heard)
        engine.setDim(dim, of: rank, while: SlotRank.ofPriorities[heard])
      }
    }
  }

  /// What a stream's gain comes to, before the volume, on a line of a priority; what is not heard stays so.
  func gain(_ gain: Float, of priority: Int) -> Float {
    gain > 0 ? max(gain, settings.leastGain(of: priority)) : 0
  }
}
