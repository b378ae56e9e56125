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

  /// Decodes what was lost right before a packet from the in-band FEC that the packet is known to have; the packet itself is
  /// decoded next.
  ///
  /// - Parameter pcm: as long as one codec frame of the packet (RFC 6716 §3.1).
  /// - Returns: frames written; 0: the codec cannot, or not here; below 0 on error.
  func recover(from payload: RawSpan, into pcm: inout MutableSpan<Float>) -> Int

  /// Conceals a loss: continues the signal for the whole of `pcm`, a multiple of 120 frames.
  ///
  /// - Returns: frames written, or below 0 on error.
  func conceal(into pcm: inout MutableSpan<Float>) -> Int

  /// Remembers its state, in place of what it remembered before; false: it cannot.
  func keep() -> Bool

  /// Goes back to the state it remembered, as if nothing had been decoded or concealed since.
  func goBack()

  /// Forgets the signal: another stream begins.
  func reset()
}

extension FrameDecoder {
  /// 0, as of a codec without FEC.
  public func recover(from payload: RawSpan, into pcm: inout MutableSpan<Float>) -> Int { 0 }

  /// False, as of a codec that only goes on.
  public func keep() -> Bool { false }

  /// Is not called.
  public func goBack() {}
}
