/// Turns payloads back into speech and invents what is missing.
///
/// The seam to the codec: Media imports none, whoever wires the node conforms a real one.
/// Loop thread only. Implementations allocate nothing after their creation.
public protocol FrameDecoder: AnyObject {
  /// Decodes one packet (mono, 48 kHz, full scale 1.0); `pcm` holds as many frames as the
  /// payload's table of contents announces (RFC 6716 §3.1).
  ///
  /// - Returns: frames written, or below 0 when the payload cannot be decoded.
  func decode(_ payload: RawSpan, into pcm: inout MutableSpan<Float>) -> Int

  /// Conceals a loss: continues the signal for the whole of `pcm`, a multiple of 120 frames.
  ///
  /// - Returns: frames written, or below 0 on error.
  func conceal(into pcm: inout MutableSpan<Float>) -> Int

  /// Forgets the signal: another stream begins.
  func reset()
}
