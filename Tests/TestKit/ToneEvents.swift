import Glibc

/// What is heard of a steady tone that was sent: clicks and holes.
///
/// Each 5 ms, half a frame after the ones before, are compared with the tone of its frequency that fits them best: a
/// cut that one frame ends at is in the midst of another. More than a fifth of the tone beside
/// that, or less than half of it, is heard. What is less than 50 ms apart is one event.
public enum ToneEvents {
  private static let frameSeconds = 0.005
  private static let joinSeconds = 0.05
  private static let (residualShare, leastShare) = (0.2, 0.5)

  /// Where events begin, in frames.
  ///
  /// - Parameters:
  ///   - recording: the tone and what became of it, not begun or ended in.
  ///   - hertz: of the tone, to within what clocks differ by.
  public static func positions(in recording: [Float], hertz: Double, sampleRate: Double) -> [Int] {
    let length = Int(frameSeconds * sampleRate)
    let hop = length / 2
    let fits = stride(from: 0, through: recording.count - length, by: hop).map { start in
      fit(recording[start..<start + length], turn: 2 * .pi * hertz / sampleRate)
    }
    let usual = fits.map(\.amplitude).sorted()[fits.count / 2]
    var events: [Int] = []
    var last = Int.min / 2
    for (index, fit) in fits.enumerated() {
      let isHeard =
        fit.residual > residualShare * usual || fit.amplitude < leastShare * usual
      guard isHeard else { continue }
      let start = index * hop
      if Double(start - last) > joinSeconds * sampleRate { events.append(start) }
      last = start + length
    }
    return events
  }

  /// Least squares of a cosine and a sine; the residual as the amplitude of a tone of its power.
  private static func fit(
    _ frame: ArraySlice<Float>, turn: Double
  ) -> (amplitude: Double, residual: Double) {
    var (cc, ss, cs, xc, xs, xx) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for (index, sample) in frame.enumerated() {
      let (x, angle) = (Double(sample), turn * Double(index))
      let (c, s) = (cos(angle), sin(angle))
      cc += c * c
      ss += s * s
      cs += c * s
      xc += x * c
      xs += x * s
      xx += x * x
    }
    let determinant = cc * ss - cs * cs
    let (a, b) = ((xc * ss - xs * cs) / determinant, (xs * cc - xc * cs) / determinant)
    let rest = max(0, xx - a * xc - b * xs)
    return ((a * a + b * b).squareRoot(), (2 * rest / Double(frame.count)).squareRoot())
  }
}
