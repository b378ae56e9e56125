import Glibc

/// Sound in memory: one array of samples per channel, -1...1.
public struct Sound: Sendable, Equatable {
  /// Channels of equal length.
  public var channels: [[Float]]
  /// Frames per second.
  public var sampleRate: Int

  /// Creates a sound from channels of equal length.
  public init(channels: [[Float]], sampleRate: Int) {
    self.channels = channels
    self.sampleRate = sampleRate
  }

  /// Frames per channel.
  public var frames: Int { channels.first?.count ?? 0 }

  /// The mean of all channels.
  public var mono: [Float] {
    guard channels.count > 1 else { return channels.first ?? [] }
    return (0..<frames).map { frame in
      channels.reduce(0) { $0 + $1[frame] } / Float(channels.count)
    }
  }

  /// Mono samples at another rate, by a Hann-windowed sinc of 32 zero crossings on each side.
  public static func resampled(_ samples: [Float], from rate: Int, to newRate: Int) -> [Float] {
    guard rate != newRate, !samples.isEmpty else { return samples }
    let step = Double(rate) / Double(newRate)
    let cutoff = min(1, 1 / step)
    let reach = 32 / cutoff
    return (0..<Int(Double(samples.count) / step)).map { index in
      let centre = Double(index) * step
      let first = max(0, Int((centre - reach).rounded(.up)))
      let last = min(samples.count - 1, Int(centre + reach))
      var sum = 0.0
      for tap in first...max(first, last) {
        sum += Double(samples[tap]) * kernel(Double(tap) - centre, cutoff, reach)
      }
      return Float(sum)
    }
  }

  /// Root mean square, 0 for nothing.
  public static func rootMeanSquare(_ samples: some Collection<Float>) -> Float {
    guard !samples.isEmpty else { return 0 }
    return (samples.reduce(Float(0)) { $0 + $1 * $1 } / Float(samples.count)).squareRoot()
  }

  private static func kernel(_ distance: Double, _ cutoff: Double, _ reach: Double) -> Double {
    let angle = Double.pi * distance * cutoff
    let sinc = abs(angle) < 1e-9 ? 1 : sin(angle) / angle
    return cutoff * sinc * (0.5 + 0.5 * cos(Double.pi * distance / reach))
  }
}
