/// Turns one codec frame of speech into one packet's payload.
///
/// The seam to the codec: Media imports none, whoever wires the node conforms a real one.
/// Loop thread only. Implementations allocate nothing after their creation.
public protocol FrameEncoder: AnyObject {
  /// Encodes exactly one packet's audio (mono, 48 kHz, full scale 1.0).
  ///
  /// - Returns: payload bytes written to the start of `payload`; 0 when the codec has nothing to
  ///   send; below 0 on error.
  func encode(_ pcm: Span<Float>, into payload: inout MutableRawSpan) -> Int

  /// Aims at another bit rate from the next packet on; a rate the codec cannot have leaves the old one.
  func aim(bitsPerSecond: Int)

  /// Lets packets tell of the ones before them, where the mode can, for who loses so many percent (in-band FEC); 0: not any more.
  func expect(lossPercent: Int)

  /// Forgets the signal: what comes does not follow what came.
  func reset()

  /// Frames by which the decoded signal trails the input, beyond the codec frame itself.
  var lookaheadFrames: Int { get }
}

extension FrameEncoder {
  /// Nothing, as a codec without FEC does.
  public func expect(lossPercent: Int) {}
}
