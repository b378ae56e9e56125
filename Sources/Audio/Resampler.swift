internal import CSamplerate
internal import System

/// A streaming sample-rate converter for one mono stream (libsamplerate's SRC_SINC_FASTEST).
///
/// Not thread-safe: made anywhere, then used by one thread (the event loop). Only the initialiser allocates. Its noise
/// lies about 97 dB below full scale, its pass band ends at 80 % of the lower rate's half.
///
/// The latency is half the filter: `latencyFrames` input frames have been taken in beyond the moment of the
/// last frame given out. Output frame n is the input at n / ratio, so nothing else shifts.
@safe public final class Resampler {
  /// The ratios the converter takes.
  public static let ratioRange =
    1 / Double(CSAMPLERATE_MAXIMUM_RATIO)...Double(CSAMPLERATE_MAXIMUM_RATIO)

  private let handle: OpaquePointer

  /// Output rate / input rate, as last set.
  public private(set) var ratio: Double

  /// Makes a converter that starts with silence before its first frame.
  ///
  /// - Parameter ratio: output rate / input rate, within `ratioRange`.
  /// - Throws: `AudioError.resampler`, or `outOfMemory`.
  public init(ratio: Double) throws(AudioError) {
    var code: Int32 = 0
    guard let handle = unsafe csamplerate_create(ratio, &code) else {
      throw .resampler(ratio: ratio, reason: errorWords(code))
    }
    unsafe self.handle = unsafe handle
    self.ratio = ratio
  }

  deinit {
    unsafe csamplerate_destroy(handle)
  }

  /// Changes the ratio while the stream runs, as a drift correction does; exactly from the next output frame on.
  ///
  /// The sound goes on without a step. A ratio that varies smoothly is set in small steps, as often as wanted.
  ///
  /// Hot path: no allocation.
  ///
  /// - Returns: false for a value outside `ratioRange` or not a number; the old ratio stays.
  @discardableResult
  public func setRatio(_ ratio: Double) -> Bool {
    guard unsafe csamplerate_set_ratio(handle, ratio) == 0 else { return false }
    self.ratio = ratio
    return true
  }

  /// The filter's right half in input frames at the present ratio: 20 when rates go up or stay, more when they go down.
  public var latencyFrames: Int {
    // SRC_SINC_FASTEST: 2464 coefficients a side, 128 a frame; stretched by 1 / ratio below 1.
    Int((2464.0 / 128 / min(ratio, 1)).rounded(.up))
  }

  /// Converts until the input is used up or the output full.
  ///
  /// Hot path: no allocation.
  ///
  /// - Returns: the input frames taken (some may wait inside when the output was the shorter side), and the frames
  ///   written from the output span's start on.
  public func process(
    _ input: Span<Float>, into output: inout MutableSpan<Float>
  ) -> (consumed: Int, produced: Int) {
    unsafe input.withUnsafeBufferPointer { input in
      unsafe output.withUnsafeMutableBufferPointer { output in
        var consumed: Int32 = 0
        var produced: Int32 = 0
        _ = unsafe csamplerate_process(
          handle, input.baseAddress, Int32(clamping: input.count), output.baseAddress,
          Int32(clamping: output.count), &consumed, &produced)
        return (Int(consumed), Int(produced))
      }
    }
  }

  /// One more at the same ratio, for a channel in step with this; nil: there is no memory for it.
  ///
  /// Allocates.
  public func makeAnother() -> Resampler? { try? Resampler(ratio: ratio) }

  /// Forgets the stream so far; the ratio stays.
  public func reset() {
    unsafe csamplerate_reset(handle)
  }
}
