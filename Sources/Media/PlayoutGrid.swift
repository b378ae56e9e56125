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

/// Conversion between media time, counted in 48 kHz frames, and nanoseconds.
package enum MediaClock {
  /// The RTP clock of Opus, whatever the coded bandwidth (RFC 7587 §4.1).
  package static let framesPerSecond = 48_000

  /// The duration of `frames`, rounded towards zero.
  package static func nanoseconds(frames: Int64) -> Int64 { frames * 62_500 / 3 }

  /// Whole frames in `nanoseconds`, rounded towards zero.
  package static func frames(nanoseconds: Int64) -> Int64 { nanoseconds * 3 / 62_500 }
}

/// How long packets wait between arrival and playout.
public enum PlayoutDelay: Hashable, Sendable {
  /// The mean of (playout of a packet's first frame - its arrival), over the last two seconds less their latest tenth,
  /// is held at this value. What jitters more is lost; below about a codec frame's share of a device
  /// period plus the network's jitter nothing is played in time.
  case fixed(nanoseconds: Int64)
  /// As little as keeps the wanted share of late packets: by default 1 % of the last two seconds', or,
  /// where delays vary much, 0.5 % of the last twelve seconds'.
  case auto
}
