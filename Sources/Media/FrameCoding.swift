/// Decodes payloads and conceals losses.
///
/// The seam to the codec: Media imports none, whoever wires the node conforms a real one.
/// Loop thread only. Implementations allocate nothing after their creation.
public protocol FrameDecoder: AnyObject {
  /// Decodes one packet (mono, 48 kHz, full scale 1.0); `pcm` holds as many frames as the
  /// payload's table of contents announces (RFC 6716 §3.1).
  ///
  /// - Returns: frames written, or below 0 when the payload cannot be decoded.
  func decode(_ payload: RawSpan, into pcm: inout MutableSpan<Float>) -> Int

  /// Decodes the frame lost right before a packet from that packet's in-band FEC; the packet itself is decoded next.
  ///
  /// - Parameter pcm: as long as one codec frame of the packet (RFC 6716 §3.1).
  /// - Returns: frames written; 0: the codec cannot, or not here; below 0 on error.
  func recover(from payload: RawSpan, into pcm: inout MutableSpan<Float>) -> Int

  /// Conceals a loss: continues the signal for the whole of `pcm`, a multiple of 120 frames.
  ///
  /// - Returns: frames written, or below 0 on error.
  func conceal(into pcm: inout MutableSpan<Float>) -> Int

  /// Saves its state in place of an earlier one; false: not supported.
  func keep() -> Bool

  /// Restores the saved state.
  func goBack()

  /// Resets for another stream.
  func reset()

  /// Decodes two channels from now on: what is written is their mean, beside which there is a side, half of what the
  /// left has more than the right; false: it cannot. Allocates.
  func openSide() -> Bool

  /// Decodes one channel again.
  func closeSide()

  /// Writes the side of what was written last, from a frame of it on; returns the frames, 0: there is none.
  func takeSide(from first: Int, into pcm: inout MutableSpan<Float>) -> Int
}

extension FrameDecoder {
  /// 0, as of a codec without FEC.
  public func recover(from payload: RawSpan, into pcm: inout MutableSpan<Float>) -> Int { 0 }

  /// False, as of a codec that only goes on.
  public func keep() -> Bool { false }

  /// Is not called.
  public func goBack() {}

  /// False, as of a codec of one channel.
  public func openSide() -> Bool { false }

  /// Is not called.
  public func closeSide() {}

  /// 0, as of a codec of one channel.
  public func takeSide(from first: Int, into pcm: inout MutableSpan<Float>) -> Int { 0 }
}

/// Turns one codec frame into one packet's payload.
///
/// The seam to the codec: Media imports none, whoever wires the node conforms a real one.
/// Loop thread only. Implementations allocate nothing after their creation.
public protocol FrameEncoder: AnyObject {
  /// Encodes exactly one packet's audio (48 kHz, full scale 1.0; mono, or of two channels left and right by turns).
  ///
  /// - Returns: payload bytes written to the start of `payload`; 0 when the codec has nothing to
  ///   send; below 0 on error.
  func encode(_ pcm: Span<Float>, into payload: inout MutableRawSpan) -> Int

  /// Aims at another bit rate from the next packet on; a rate the codec cannot have leaves the old one.
  func aim(bitsPerSecond: Int)

  /// Sets the loss, in percent, that in-band FEC is made for, where the mode has it; 0: off.
  func expect(lossPercent: Int)

  /// Resets: the next audio does not continue the last.
  func reset()

  /// Frames by which the decoded signal trails the input, beyond the codec frame itself.
  var lookaheadFrames: Int { get }
}

extension FrameEncoder {
  /// Nothing, as a codec without FEC does.
  public func expect(lossPercent: Int) {}
}

/// Resamples by a ratio that may change with every call.
///
/// The seam to the converter: Media imports none, whoever wires the node conforms a real one.
/// Loop thread only. Implementations allocate nothing after their creation. Output frame n is the
/// input at n / ratio, up to what `latencyFrames` holds back.
public protocol FrameResampler: AnyObject {
  /// Output frames per input frame, from the next output frame on: 1/6...4.1.
  ///
  /// The sound goes on without a step.
  ///
  /// - Returns: false: refused, the old ratio stays.
  @discardableResult
  func setRatio(_ ratio: Double) -> Bool

  /// Converts until the input is used up or the output full.
  ///
  /// - Returns: input frames taken, and output frames written from the span's start on.
  func process(
    _ input: Span<Float>, into output: inout MutableSpan<Float>
  ) -> (consumed: Int, produced: Int)

  /// Most input frames held back: the resampler's latency.
  var latencyFrames: Int { get }

  /// Resets the filter; the ratio stays.
  func reset()

  /// One more for a second channel, which given the same keeps in step with this; nil: there is none. Allocates.
  func another() -> (any FrameResampler)?
}

extension FrameResampler {
  /// Nil.
  public func another() -> (any FrameResampler)? { nil }
}
