internal import Glibc

/// A radix-2 fast Fourier transform of one size, decimation in time, in place.
public struct FourierTransform: Sendable {
  /// Points, a power of two.
  public let size: Int
  private let cosines: [Float]
  private let sines: [Float]

  /// Makes the tables for the smallest power of two that holds `count` points.
  public init(holding count: Int) {
    var size = 2
    while size < count { size *= 2 }
    self.size = size
    let angles = (0..<size / 2).map { -2 * Double.pi * Double($0) / Double(size) }
    cosines = angles.map { Float(cos($0)) }
    sines = angles.map { Float(sin($0)) }
  }

  /// Transforms `size` complex points.
  public func forward(_ real: inout [Float], _ imaginary: inout [Float]) {
    reorder(&real, &imaginary)
    var half = 1
    while half < size {
      let stride = size / (2 * half)
      for start in Swift.stride(from: 0, to: size, by: 2 * half) {
        for index in 0..<half {
          let (c, s) = (cosines[index * stride], sines[index * stride])
          let (low, high) = (start + index, start + index + half)
          let r = real[high] * c - imaginary[high] * s
          let i = real[high] * s + imaginary[high] * c
          real[high] = real[low] - r
          imaginary[high] = imaginary[low] - i
          real[low] += r
          imaginary[low] += i
        }
      }
      half *= 2
    }
  }

  /// For every shift, the sum of products of `window` shifted and `pattern`, circular in `size`.
  ///
  /// Both are zero-padded. One transform serves both, since they are real.
  public func correlation(of pattern: [Float], in window: [Float]) -> [Float] {
    var real = window + [Float](repeating: 0, count: size - window.count)
    var imaginary = pattern + [Float](repeating: 0, count: size - pattern.count)
    forward(&real, &imaginary)
    var productReal = real
    var productImaginary = imaginary
    for k in 0..<size {
      let mirror = (size - k) % size
      let (a, b, c, d) = (real[k], imaginary[k], real[mirror], imaginary[mirror])
      let (windowReal, windowImaginary) = ((a + c) / 2, (b - d) / 2)
      let (patternReal, patternImaginary) = ((b + d) / 2, (c - a) / 2)
      productReal[k] = windowReal * patternReal + windowImaginary * patternImaginary
      // Conjugated, so that a second forward transform is the inverse but for the size.
      productImaginary[k] = -(windowImaginary * patternReal - windowReal * patternImaginary)
    }
    forward(&productReal, &productImaginary)
    return productReal.map { $0 / Float(size) }
  }

  /// A real signal without what is outside a band, in Hz; zero-padded to `size` for it, and circular.
  public func limited(
    _ signal: [Float], to band: ClosedRange<Double>, sampleRate: Int
  ) -> [Float] {
    var real = signal + [Float](repeating: 0, count: size - signal.count)
    var imaginary = [Float](repeating: 0, count: size)
    forward(&real, &imaginary)
    let width = Double(sampleRate) / Double(size)
    for k in 0..<size {
      let isWithin = band.contains(Double(min(k, size - k)) * width)
      real[k] = isWithin ? real[k] : 0
      // Conjugated, as above.
      imaginary[k] = isWithin ? -imaginary[k] : 0
    }
    forward(&real, &imaginary)
    return real.prefix(signal.count).map { $0 / Float(size) }
  }

  private func reorder(_ real: inout [Float], _ imaginary: inout [Float]) {
    var target = 0
    for index in 1..<size {
      var bit = size >> 1
      while target & bit != 0 {
        target ^= bit
        bit >>= 1
      }
      target |= bit
      if index < target {
        real.swapAt(index, target)
        imaginary.swapAt(index, target)
      }
    }
  }
}
