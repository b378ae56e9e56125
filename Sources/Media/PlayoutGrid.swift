/// When the audio device takes sound: at beats, a period apart.
///
/// A frame can be rendered until `leadNanoseconds` before the beat that starts its period. Knowing
/// this saves on average half a period of delay; a stream that is not told assumes the worst.
public struct PlayoutGrid: Hashable, Sendable {
  /// Start of the coming period: when its first frame leaves at the ports.
  public var beatNanoseconds: Int64
  /// Frames that the device counted up to that beat, whether or not they were played; only differences matter.
  public var beatFrames: Int64
  /// Duration of a period, above 0.
  public var periodNanoseconds: Int64
  /// How long before a beat the loop renders.
  public var leadNanoseconds: Int64

  /// Makes a grid.
  public init(
    beatNanoseconds: Int64, beatFrames: Int64, periodNanoseconds: Int64, leadNanoseconds: Int64
  ) {
    precondition(periodNanoseconds > 0)
    self.beatNanoseconds = beatNanoseconds
    self.beatFrames = beatFrames
    self.periodNanoseconds = periodNanoseconds
    self.leadNanoseconds = leadNanoseconds
  }

  /// The first beat for which a packet that came at `nanoseconds` can be rendered.
  func firstBeat(forArrival nanoseconds: Int64) -> Int64 {
    let ahead = nanoseconds + leadNanoseconds - beatNanoseconds
    let (quotient, remainder) = ahead.quotientAndRemainder(dividingBy: periodNanoseconds)
    return beatNanoseconds + (remainder > 0 ? quotient + 1 : quotient) * periodNanoseconds
  }

  /// How far `other`'s beats lie beside this grid's: 0 to half a period.
  func displacement(of other: PlayoutGrid) -> Int64 {
    let remainder = abs(other.beatNanoseconds - beatNanoseconds) % periodNanoseconds
    return min(remainder, periodNanoseconds - remainder)
  }
}
