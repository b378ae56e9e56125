/// Power of a signal, and power as decibels, without a mathematics library.
enum Loudness {
  /// The mean square of `pcm`; 0 when it is empty.
  static func meanSquare(_ pcm: Span<Float>) -> Float {
    guard !pcm.isEmpty else { return 0 }
    var sum: Float = 0
    for index in pcm.indices { sum += pcm[index] * pcm[index] }
    return sum / Float(pcm.count)
  }

  /// 10 log10 of a mean square: dBov, as full scale is 1.0 (RFC 6464 §3); -127 for silence and for
  /// what is no number.
  ///
  /// Exact to 0.01 dB.
  static func decibels(meanSquare: Float) -> Float {
    guard meanSquare > 0, meanSquare.isFinite else { return -127 }
    // log2 of the significand, 1 ..< 2, by the series of the inverse hyperbolic tangent.
    let z = (meanSquare.significand - 1) / (meanSquare.significand + 1)
    let z2 = z * z
    let series = z * (1 + z2 * (1 / 3 + z2 * (1 / 5 + z2 / 7)))
    let log2 = Float(meanSquare.exponent) + series * 2.885_390
    return max(-127, 3.010_300 * log2)
  }
}
