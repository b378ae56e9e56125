internal import Glibc

/// Resamples a whole recording by a ratio of whole numbers.
///
/// The filter is that of Octave's `resample`, which STOI's authors used and so does pystoi: a sinc windowed by Kaiser's
/// window, 60 dB down beyond half the lower rate, rolling off over a tenth of that.
struct OctaveResampler {
  private static let rejectionDecibels = 60.0

  private let (up, down): (Int, Int)
  /// Odd, its middle at index `reach`; at `up` times the rate of the input.
  private let filter: [Double]
  private let reach: Int

  init(from inputRate: Int, to outputRate: Int) {
    let divisor = Self.commonDivisor(inputRate, outputRate)
    let (up, down) = (outputRate / divisor, inputRate / divisor)
    let cutoff = 1 / (2 * Double(max(up, down)))
    let reach = Int(((Self.rejectionDecibels - 8) / (28.714 * cutoff / 10)).rounded(.up))
    let beta = 0.1102 * (Self.rejectionDecibels - 8.7)
    let taps = (-reach...reach).map { tap in
      let place = Double(tap) / Double(reach)
      let angle = 2 * Double.pi * cutoff * Double(tap)
      let sinc = tap == 0 ? 1 : sin(angle) / angle
      return sinc * Self.bessel(beta * (1 - place * place).squareRoot()) / Self.bessel(beta)
    }
    let sum = taps.reduce(0, +)
    (self.up, self.down, self.reach) = (up, down, reach)
    filter = taps.map { $0 * Double(up) / sum }
  }

  /// The recording at the other rate, from the same moment on.
  func resample(_ input: [Double]) -> [Double] {
    guard up != down else { return input }
    let count = (input.count * up + down - 1) / down
    return (0..<count).map { index in
      let middle = index * down
      let first = max(0, (middle - reach + up - 1) / up)
      let last = min(input.count - 1, (middle + reach) / up)
      var sum = 0.0
      for place in stride(from: first, through: last, by: 1) {
        sum += input[place] * filter[middle - place * up + reach]
      }
      return sum
    }
  }

  /// The modified Bessel function of order 0, by its series.
  private static func bessel(_ x: Double) -> Double {
    var (sum, term, index) = (1.0, 1.0, 1.0)
    while term > sum * 1e-16 {
      term *= (x / (2 * index)) * (x / (2 * index))
      sum += term
      index += 1
    }
    return sum
  }

  private static func commonDivisor(_ a: Int, _ b: Int) -> Int {
    b == 0 ? a : commonDivisor(b, a % b)
  }
}
