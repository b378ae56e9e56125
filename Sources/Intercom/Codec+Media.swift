public import Audio
public import Media

extension OpusEncoder: FrameEncoder {
  /// Aims at another bit rate; one outside `bitrateRange` leaves the old one.
  public func aim(bitsPerSecond: Int) { try? setBitrate(bitsPerSecond: bitsPerSecond) }
}
extension OpusDecoder: FrameDecoder {}
extension Resampler: FrameResampler {}
