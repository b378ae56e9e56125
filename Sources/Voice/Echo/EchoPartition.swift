/// One partition of an ``EchoFilter``: where in its rooms it is, and what is computed there, bin by bin.
struct EchoPartition {
  private enum Shape {
    /// What remains of what is known from block to block: how well a room keeps still.
    static let kept: Float = 0.9999 * 0.9999
    /// A step makes a weight that much surer, in parts of what an exact one would.
    static let certainty: Float = 0.5
    static let leastVariance: Float = 1e-12
  }

  /// The first of its weights, and of what was played when they matter.
  let (weights, history): (Int, Int)
  let bins: Int

  init(weights: Int, history: Int, bins: Int) {
    (self.weights, self.history, self.bins) = (weights, history, bins)
  }

  /// Adds what it takes to be echo.
  func addEcho(_ result: SpectrumRoom, _ channel: EchoFilter.Channel) {
    let (re, im) = unsafe Self.pointers(result, 0, bins)
    let (xRe, xIm) = unsafe Self.pointers(channel.spectra, history, bins)
    let (wRe, wIm) = unsafe Self.pointers(channel.weights, weights, bins)
    for bin in 0..<bins {
      unsafe re[bin] += xRe[bin] * wRe[bin] - xIm[bin] * wIm[bin]
      unsafe im[bin] += xRe[bin] * wIm[bin] + xIm[bin] * wRe[bin]
    }
  }

  /// Adds the power of what echo there may yet be, of one loudspeaker.
  func addResidual(_ result: FloatRoom, _ channel: EchoFilter.Channel, _ share: Float) {
    let out = unsafe result.part(0, bins)
    let x2 = unsafe channel.power.part(history, bins)
    let v = unsafe channel.variance.part(weights, bins)
    for bin in 0..<bins { unsafe out[bin] += share * x2[bin] * v[bin] }
  }

  /// The same of two.
  func addResidual(
    _ result: FloatRoom, _ sum: EchoFilter.Channel, _ difference: EchoFilter.Channel,
    _ covariance: SpectrumRoom, _ share: Float
  ) {
    let out = unsafe result.part(0, bins)
    let (x2, y2) = unsafe (sum.power.part(history, bins), difference.power.part(history, bins))
    let (xRe, xIm) = unsafe Self.pointers(sum.spectra, history, bins)
    let (yRe, yIm) = unsafe Self.pointers(difference.spectra, history, bins)
    let (a, b) = unsafe (sum.variance.part(weights, bins), difference.variance.part(weights, bins))
    let (cRe, cIm) = unsafe Self.pointers(covariance, weights, bins)
    for bin in 0..<bins {
      // x · conj(y), of which the part that goes along with the covariance counts twice.
      let crossRe = unsafe xRe[bin] * yRe[bin] + xIm[bin] * yIm[bin]
      let crossIm = unsafe xIm[bin] * yRe[bin] - xRe[bin] * yIm[bin]
      let both = unsafe 2 * (cRe[bin] * crossRe - cIm[bin] * crossIm)
      unsafe out[bin] += share * max(0, x2[bin] * a[bin] + y2[bin] * b[bin] + both)
    }
  }

  /// Goes along an error, by its steps.
  func learn(_ channel: EchoFilter.Channel, _ error: SpectrumRoom, _ steps: FloatRoom) {
    let (re, im) = unsafe Self.pointers(channel.weights, weights, bins)
    let v = unsafe channel.variance.part(weights, bins)
    let (xRe, xIm) = unsafe Self.pointers(channel.spectra, history, bins)
    let x2 = unsafe channel.power.part(history, bins)
    let (eRe, eIm) = unsafe Self.pointers(error, 0, bins)
    let steps = unsafe steps.part(0, bins)
    for bin in 0..<bins {
      let gain = unsafe v[bin] * steps[bin]
      let newRe = unsafe re[bin] + gain * (xRe[bin] * eRe[bin] + xIm[bin] * eIm[bin])
      let newIm = unsafe im[bin] + gain * (xRe[bin] * eIm[bin] - xIm[bin] * eRe[bin])
      let surer = unsafe v[bin] * (1 - Shape.certainty * gain * x2[bin])
      unsafe re[bin] = newRe
      unsafe im[bin] = newIm
      unsafe v[bin] = Self.aged(surer, newRe, newIm)
    }
  }

  /// The same for two loudspeakers.
  ///
  /// With x of the sum, y of the difference and their covariance [[a, c], [c*, b]], (u, v) is (x, y) times it, and the
  /// gains are the conjugates of u and v.
  func learn(
    _ sum: EchoFilter.Channel, _ difference: EchoFilter.Channel, _ covariance: SpectrumRoom,
    _ error: SpectrumRoom, _ steps: FloatRoom
  ) {
    let (re, im) = unsafe Self.pointers(sum.weights, weights, bins)
    let (otherRe, otherIm) = unsafe Self.pointers(difference.weights, weights, bins)
    let (a, b) = unsafe (sum.variance.part(weights, bins), difference.variance.part(weights, bins))
    let (cRe, cIm) = unsafe Self.pointers(covariance, weights, bins)
    let (xRe, xIm) = unsafe Self.pointers(sum.spectra, history, bins)
    let (yRe, yIm) = unsafe Self.pointers(difference.spectra, history, bins)
    let (eRe, eIm) = unsafe Self.pointers(error, 0, bins)
    let steps = unsafe steps.part(0, bins)
    for bin in 0..<bins {
      let uRe = unsafe xRe[bin] * a[bin] + yRe[bin] * cRe[bin] + yIm[bin] * cIm[bin]
      let uIm = unsafe xIm[bin] * a[bin] + yIm[bin] * cRe[bin] - yRe[bin] * cIm[bin]
      let vRe = unsafe yRe[bin] * b[bin] + xRe[bin] * cRe[bin] - xIm[bin] * cIm[bin]
      let vIm = unsafe yIm[bin] * b[bin] + xRe[bin] * cIm[bin] + xIm[bin] * cRe[bin]
      let step = unsafe steps[bin]
      let newRe = unsafe re[bin] + step * (uRe * eRe[bin] + uIm * eIm[bin])
      let newIm = unsafe im[bin] + step * (uRe * eIm[bin] - uIm * eRe[bin])
      let thatRe = unsafe otherRe[bin] + step * (vRe * eRe[bin] + vIm * eIm[bin])
      let thatIm = unsafe otherIm[bin] + step * (vRe * eIm[bin] - vIm * eRe[bin])
      let sure = Shape.certainty * step
      unsafe re[bin] = newRe
      unsafe im[bin] = newIm
      unsafe otherRe[bin] = thatRe
      unsafe otherIm[bin] = thatIm
      unsafe a[bin] = Self.aged(a[bin] - sure * (uRe * uRe + uIm * uIm), newRe, newIm)
      unsafe b[bin] = Self.aged(b[bin] - sure * (vRe * vRe + vIm * vIm), thatRe, thatIm)
      unsafe cRe[bin] = Shape.kept * (cRe[bin] - sure * (uRe * vRe + uIm * vIm))
      unsafe cIm[bin] = Shape.kept * (cIm[bin] - sure * (uRe * vIm - uIm * vRe))
    }
  }

  /// A weight's variance a block later: the room may have changed by a part of what it is.
  @inline(__always)
  private static func aged(_ variance: Float, _ re: Float, _ im: Float) -> Float {
    max(Shape.kept * variance + (1 - Shape.kept) * (re * re + im * im), Shape.leastVariance)
  }

  private static func pointers(
    _ room: SpectrumRoom, _ first: Int, _ bins: Int
  ) -> (UnsafeMutablePointer<Float>, UnsafeMutablePointer<Float>) {
    unsafe (room.real.part(first, bins), room.imaginary.part(first, bins))
  }
}
