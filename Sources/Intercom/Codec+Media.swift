public import Audio
public import Media

extension OpusEncoder: FrameEncoder {
  /// Aims at another bit rate; one outside `bitrateRange` leaves the old one.
  public func aim(bitsPerSecond: Int) { try? setBitrate(bitsPerSecond: bitsPerSecond) }

  /// Expects another loss; one outside 0...100 leaves the old one.
  public func expect(lossPercent: Int) { try? setExpectedLoss(percent: lossPercent) }
}
extension OpusDecoder: FrameDecoder {}
extension Resampler: FrameResampler {}
