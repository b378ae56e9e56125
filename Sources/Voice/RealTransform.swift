internal import Glibc

/// The Fourier transform of real signals of a power of two, and its inverse; by one of complex numbers half as long.
///
/// One owner; nothing that is called for each block allocates.
final class RealTransform {
  /// Samples of a signal.
  let count: Int
  /// Bins of a spectrum, its padding included.
  let binCount: Int
  private let half: Int
  /// Of each pass but the first its factors, one after the other.
  private let (cosines, sines): ([Float], [Float])
  /// Those that part the two halves of a real signal.
  private let (outerCosines, outerSines): ([Float], [Float])
  private let reversed: [Int32]
  private let (re, im): (FloatRoom, FloatRoom)

  /// - Parameter count: a power of two, 16 at least.
  init(count: Int) {
    precondition(count >= 16 && count & (count - 1) == 0, "a power of two is needed, not \(count)")
    self.count = count
    let half = count / 2
    self.half = half
    binCount = (half + 1 + 7) / 8 * 8
    var factors: [Double] = []
    var size = 4
    while size < half {
      factors += (0..<size).map { -Double.pi * Double($0) / Double(size) }
      size *= 2
    }
    cosines = factors.map { Float(cos($0)) }
    sines = factors.map { Float(sin($0)) }
    let angles = (0...half).map { -2 * Double.pi * Double($0) / Double(count) }
    outerCosines = angles.map { Float(cos($0)) }
    outerSines = angles.map { Float(sin($0)) }
    let bits = half.trailingZeroBitCount
    reversed = (0..<half).map { index in
      Int32((0..<bits).reduce(0) { $0 << 1 | (index >> $1) & 1 })
    }
    (re, im) = (FloatRoom(count: half), FloatRoom(count: half))
  }

  /// The spectrum of a signal of ``count`` samples, into one of a room's.
  func forward(_ signal: FloatRoom, into room: SpectrumRoom, at place: Int = 0) {
    precondition(room.bins == binCount && signal.count == count)
    for index in 0..<half {
      let place = Int(reversed[index])
      (re[place], im[place]) = (signal[2 * index], signal[2 * index + 1])
    }
    runPasses()
    let first = place * binCount
    for bin in 0...half {
      let (a, b) = (bin & (half - 1), (half - bin) & (half - 1))
      let (evenRe, evenIm) = ((re[a] + re[b]) * 0.5, (im[a] - im[b]) * 0.5)
      let (oddRe, oddIm) = ((im[a] + im[b]) * 0.5, (re[b] - re[a]) * 0.5)
      let (c, s) = (outerCosines[bin], outerSines[bin])
      room.real[first + bin] = evenRe + oddRe * c - oddIm * s
      room.imaginary[first + bin] = evenIm + oddRe * s + oddIm * c
    }
  }

  /// The signal of one of a room's spectra.
  func inverse(_ room: SpectrumRoom, at place: Int = 0, into signal: FloatRoom) {
    precondition(room.bins == binCount && signal.count == count)
    let first = place * binCount
    // The conjugate goes the same way as forward; its result is conjugated again.
    for bin in 0..<half {
      let (a, b) = (first + bin, first + half - bin)
      let (upRe, upIm) = (room.real[a], room.imaginary[a])
      let (downRe, downIm) = (room.real[b], -room.imaginary[b])
      let (evenRe, evenIm) = ((upRe + downRe) * 0.5, (upIm + downIm) * 0.5)
      let (halfRe, halfIm) = ((upRe - downRe) * 0.5, (upIm - downIm) * 0.5)
      let (c, s) = (outerCosines[bin], -outerSines[bin])
      let (oddRe, oddIm) = (halfRe * c - halfIm * s, halfRe * s + halfIm * c)
      let target = Int(reversed[bin])
      re[target] = evenRe - oddIm
      im[target] = -(evenIm + oddRe)
    }
    runPasses()
    let scale = 1 / Float(half)
    for index in 0..<half {
      signal[2 * index] = re[index] * scale
      signal[2 * index + 1] = -im[index] * scale
    }
  }

  /// A first step of 4 and then radix 2, decimation in time, over what lies in reversed order.
  private func runPasses() {
    let (re, im) = unsafe (re.part(0, half), im.part(0, half))
    unsafe cosines.withUnsafeBufferPointer { cosines in
      unsafe sines.withUnsafeBufferPointer { sines in
        guard let cosines = cosines.baseAddress, let sines = sines.baseAddress else { return }
        for start in Swift.stride(from: 0, to: half, by: 4) {
          unsafe Self.first(re + start, im + start)
        }
        var size = 4
        while size < half {
          for start in Swift.stride(from: 0, to: half, by: 2 * size) {
            unsafe Self.pass(re + start, im + start, cosines + (size - 4), sines + (size - 4), size)
          }
          size *= 2
        }
      }
    }
  }

  /// Four of them, whose factors are 1 and -i.
  @inline(__always)
  private static func first(_ re: UnsafeMutablePointer<Float>, _ im: UnsafeMutablePointer<Float>) {
    let (re0, re1) = unsafe (re[0] + re[1], re[0] - re[1])
    let (re2, re3) = unsafe (re[2] + re[3], re[2] - re[3])
    let (im0, im1) = unsafe (im[0] + im[1], im[0] - im[1])
    let (im2, im3) = unsafe (im[2] + im[3], im[2] - im[3])
    unsafe (re[0], im[0]) = (re0 + re2, im0 + im2)
    unsafe (re[1], im[1]) = (re1 + im3, im1 - re3)
    unsafe (re[2], im[2]) = (re0 - re2, im0 - im2)
    unsafe (re[3], im[3]) = (re1 - im3, im1 + re3)
  }

  /// One of two neighbours of `size`, 4 at least.
  @inline(__always)
  private static func pass(
    _ re: UnsafeMutablePointer<Float>, _ im: UnsafeMutablePointer<Float>,
    _ cosines: UnsafePointer<Float>, _ sines: UnsafePointer<Float>, _ size: Int
  ) {
    for index in Swift.stride(from: 0, to: size, by: 4) {
      let (c, s) = unsafe (load(cosines + index), load(sines + index))
      let (lowRe, lowIm) = unsafe (load(re + index + size), load(im + index + size))
      let (upRe, upIm) = unsafe (load(re + index), load(im + index))
      let (turnedRe, turnedIm) = (lowRe * c - lowIm * s, lowRe * s + lowIm * c)
      unsafe store(upRe - turnedRe, re + index + size)
      unsafe store(upIm - turnedIm, im + index + size)
      unsafe store(upRe + turnedRe, re + index)
      unsafe store(upIm + turnedIm, im + index)
    }
  }

  @inline(__always)
  private static func load(_ pointer: UnsafePointer<Float>) -> SIMD4<Float> {
    unsafe UnsafeRawPointer(pointer).loadUnaligned(as: SIMD4<Float>.self)
  }

  @inline(__always)
  private static func store(_ value: SIMD4<Float>, _ pointer: UnsafeMutablePointer<Float>) {
    unsafe UnsafeMutableRawPointer(pointer).storeBytes(of: value, as: SIMD4<Float>.self)
  }
}
