extension PlayoutController {
  /// Between these the target only wanders, and the stream is led to it slowly.
  private static let calmRange: ClosedRange<Int64> = -50_000...250_000
  /// 250 microseconds off: 4 ppm.
  private static let calmNanoseconds = 60e9
  /// Up in half a second, before packets are late; down in two.
  private static let upNanoseconds = 0.5e9
  private static let downNanoseconds = 2e9
  /// A cent is 580 ppm, and nobody hears less than five.
  private static let greatestSteering = 1e-3

  /// Device frames to be made of a frame at 48 kHz that plays at `offset`.
  func ratio(offset: Int64) -> Double {
    let nominal = Double(deviceRate) / Double(MediaClock.framesPerSecond)
    return nominal * clocks.ratio * (1 - steering(surplusNanoseconds(offset: offset)))
  }

  /// By how much more than the sender's clock says the stream is to get ahead.
  private func steering(_ surplus: Int64) -> Double {
    let calm = min(max(surplus, Self.calmRange.lowerBound), Self.calmRange.upperBound)
    let firm = surplus < 0 ? Self.upNanoseconds : Self.downNanoseconds
    let steering = Double(calm) / Self.calmNanoseconds + Double(surplus - calm) / firm
    return min(max(steering, -Self.greatestSteering), Self.greatestSteering)
  }
}
