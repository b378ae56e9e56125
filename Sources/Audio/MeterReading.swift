internal import CRealtime
import Glibc

/// What a meter showed: a level since the last reading, linear and in dBFS (0 dBFS: full scale, RMS of a square wave).
public struct MeterReading: Hashable, Sendable {
  /// The quietest level told, for silence too.
  public static let floorDBFS: Float = -127

  /// The highest absolute sample since the last reading, linear; 1 is full scale.
  public var peak: Float
  /// The root of the mean square, linear; 1 is full scale.
  public var rms: Float

  /// A reading of linear levels.
  public init(peak: Float, rms: Float) {
    self.peak = peak
    self.rms = rms
  }

  init(_ meter: rt_meter) {
    self.init(peak: meter.peak, rms: meter.rms)
  }

  /// The peak in dBFS, not below `floorDBFS`.
  public var peakDBFS: Float { Self.decibels(peak) }
  /// The RMS in dBFS, not below `floorDBFS`.
  public var rmsDBFS: Float { Self.decibels(rms) }

  private static func decibels(_ level: Float) -> Float {
    level > 0 ? max(20 * log10f(level), floorDBFS) : floorDBFS
  }
}
