/// Numbers at a fixed place, for loops over whole spectra that must not be checked one by one.
@safe final class FloatRoom {
  let count: Int
  private let base: UnsafeMutablePointer<Float>

  /// All of one value.
  init(_ value: Float = 0, count: Int) {
    self.count = count
    unsafe base = .allocate(capacity: count)
    unsafe base.initialize(repeating: value, count: count)
  }

  deinit { unsafe base.deallocate() }

  /// So many of them from there on, for as long as this lives.
  func part(_ first: Int, _ count: Int) -> UnsafeMutablePointer<Float> {
    precondition(first >= 0 && count >= 0 && first + count <= self.count)
    return unsafe base + first
  }

  /// One of them.
  subscript(index: Int) -> Float {
    get {
      precondition(index >= 0 && index < count)
      return unsafe base[index]
    }
    set {
      precondition(index >= 0 && index < count)
      unsafe base[index] = newValue
    }
  }

  func fill(_ value: Float) { unsafe base.update(repeating: value, count: count) }

  /// Fills a part of it.
  func fill(_ value: Float, _ range: Range<Int>) {
    unsafe part(range.lowerBound, range.count).update(repeating: value, count: range.count)
  }
}

/// Spectra of real signals, one after the other: bins from 0 Hz to half the sampling rate, padded for vectors.
@safe final class SpectrumRoom {
  /// Bins of one of them.
  let bins: Int
  let (real, imaginary): (FloatRoom, FloatRoom)

  init(bins: Int, count: Int = 1) {
    self.bins = bins
    (real, imaginary) = (FloatRoom(count: bins * count), FloatRoom(count: bins * count))
  }

  func clear() {
    real.fill(0)
    imaginary.fill(0)
  }

  /// The power of one spectrum's bins.
  func power(_ index: Int = 0, into power: FloatRoom, at place: Int = 0) {
    let re = unsafe real.part(index * bins, bins)
    let im = unsafe imaginary.part(index * bins, bins)
    let out = unsafe power.part(place * bins, bins)
    for bin in 0..<bins {
      unsafe out[bin] = re[bin] * re[bin] + im[bin] * im[bin]
    }
  }
}
