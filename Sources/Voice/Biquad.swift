internal import Glibc

/// A filter of the second order, in transposed direct form.
struct Biquad {
  private let (b0, b1, b2, a1, a2): (Double, Double, Double, Double, Double)
  private var (first, second) = (0.0, 0.0)

  /// The bilinear transform of `(low + high s²) / (s² + s / quality + 1)`.
  init(_ hertz: Double, quality: Double, isHigh: Bool, _ rate: Double) {
    let warped = tan(.pi * min(hertz / rate, 0.45))
    let scale = 1 / (1 + warped / quality + warped * warped)
    b0 = (isHigh ? 1 : warped * warped) * scale
    (b1, b2) = (isHigh ? -2 * b0 : 2 * b0, b0)
    a1 = 2 * (warped * warped - 1) * scale
    a2 = (1 - warped / quality + warped * warped) * scale
  }

  /// A Butterworth filter of an even order that takes out what is below a frequency.
  static func highPass(_ hertz: Double, order: Int, _ rate: Double) -> [Biquad] {
    qualities(order).map { Biquad(hertz, quality: $0, isHigh: true, rate) }
  }

  /// A Butterworth filter of an even order that takes out what is above a frequency.
  static func lowPass(_ hertz: Double, order: Int, _ rate: Double) -> [Biquad] {
    qualities(order).map { Biquad(hertz, quality: $0, isHigh: false, rate) }
  }

  private static func qualities(_ order: Int) -> [Double] {
    (0..<order / 2).map { 1 / (2 * sin(.pi * (2 * Double($0) + 1) / (2 * Double(order)))) }
  }

  mutating func step(_ input: Double) -> Double {
    let output = b0 * input + first
    first = b1 * input - a1 * output + second
    second = b2 * input - a2 * output
    // So small a number is silence, and would be slow.
    if abs(second) < 1e-20, abs(first) < 1e-20 { (first, second) = (0, 0) }
    return output
  }
}
