/// When the audio of one probe was at its ports, cycle by cycle.
///
/// Positions are frames since the probe was started; between cycle starts the nominal rate holds.
/// Times are of JACK's clock, which all servers of a machine share (CLOCK_MONOTONIC_RAW).
public struct TimeLine: Sendable {
  /// One JACK cycle.
  public struct Cycle: Sendable, Equatable {
    /// Start, nanoseconds of JACK's clock.
    public var startNanoseconds: Int64
    /// Position of its first frame.
    public var position: Int64
    /// Length in frames.
    public var frames: Int

    /// Creates a cycle.
    public init(startNanoseconds: Int64, position: Int64, frames: Int) {
      self.startNanoseconds = startNanoseconds
      self.position = position
      self.frames = frames
    }
  }

  /// All cycles in order of time; positions grow with them.
  public let cycles: [Cycle]
  /// Frames per second.
  public let sampleRate: Double

  /// Creates a time line from cycles in order.
  public init(cycles: [Cycle], sampleRate: Double) {
    self.cycles = cycles
    self.sampleRate = sampleRate
  }

  /// When the frame at a (fractional) position was at the port; nil outside what was logged.
  public func nanoseconds(at position: Double) -> Double? {
    guard let cycle = cycle(startingBy: { Double($0.position) <= position }),
      position < Double(cycle.position) + Double(cycle.frames)
    else { return nil }
    return Double(cycle.startNanoseconds)
      + (position - Double(cycle.position)) * 1e9 / sampleRate
  }

  /// The position that was at the port at a time; nil outside what was logged.
  ///
  /// In the gap a late cycle leaves, the last frame before it.
  public func position(at nanoseconds: Double) -> Double? {
    guard let cycle = cycle(startingBy: { Double($0.startNanoseconds) <= nanoseconds }) else {
      return nil
    }
    let frames = (nanoseconds - Double(cycle.startNanoseconds)) * sampleRate / 1e9
    if frames > Double(cycle.frames) * 4 && cycle == cycles.last { return nil }
    return Double(cycle.position) + min(frames, Double(cycle.frames))
  }

  /// Whether every cycle that starts in the interval follows its predecessor on time.
  ///
  /// - Parameter toleranceNanoseconds: how far a cycle's start may be off.
  public func isSteady(
    from startNanoseconds: Double, to endNanoseconds: Double, toleranceNanoseconds: Double
  ) -> Bool {
    guard var index = index(startingBy: { Double($0.startNanoseconds) <= startNanoseconds }) else {
      return false
    }
    while index + 1 < cycles.count, Double(cycles[index].startNanoseconds) <= endNanoseconds {
      let length = Double(cycles[index].frames) * 1e9 / sampleRate
      let actual = Double(cycles[index + 1].startNanoseconds - cycles[index].startNanoseconds)
      if abs(actual - length) > toleranceNanoseconds { return false }
      index += 1
    }
    return true
  }

  /// Cycles later than the one before by more than `periods` periods of their own.
  public func lateCycles(beyond periods: Double = 1.5) -> Int {
    zip(cycles, cycles.dropFirst()).count { earlier, later in
      Double(later.startNanoseconds - earlier.startNanoseconds)
        > Double(earlier.frames) * periods * 1e9 / sampleRate
    }
  }

  private func cycle(startingBy isBefore: (Cycle) -> Bool) -> Cycle? {
    index(startingBy: isBefore).map { cycles[$0] }
  }

  /// The last cycle for which the predicate holds; it holds for a prefix.
  private func index(startingBy isBefore: (Cycle) -> Bool) -> Int? {
    var low = 0
    var high = cycles.count
    while low < high {
      let middle = (low + high) / 2
      if isBefore(cycles[middle]) { low = middle + 1 } else { high = middle }
    }
    return low > 0 ? low - 1 : nil
  }
}
