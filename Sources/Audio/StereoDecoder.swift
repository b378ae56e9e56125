internal import COpus

/// The two-channel half of an ``OpusDecoder``: gives the mean of both channels, and keeps their side.
///
/// One that is made in the midst of a stream knows nothing of it, and would be too loud for some packets: for those the
/// mean is the one-channel decoder's, and the side fades in.
@safe final class StereoDecoder {
  /// Packets until what it does not know of is over: of an error in CELT's prediction of a band's energy 0.65 is left
  /// after a packet of 10 ms, 0.9 after one of 2.5 (libopus, `pred_coef`).
  private static let warmingPackets = 48

  private let handle: OpaquePointer
  /// Left and right by turns.
  private var both = [Float](repeating: 0, count: 2 * OpusDecoder.maximumPacketFrames)
  private var side = [Float](repeating: 0, count: OpusDecoder.maximumPacketFrames)
  private var sideFrames = 0
  private var coldPackets: Int

  /// Nil: there is no memory for it.
  init?(isWarm: Bool) {
    var code: Int32 = 0
    guard let handle = unsafe copus_decoder_create(2, &code) else { return nil }
    unsafe self.handle = unsafe handle
    coldPackets = isWarm ? 0 : Self.warmingPackets
  }

  deinit { unsafe copus_decoder_destroy(handle) }

  /// Whether the mean is better taken from the decoder that was there before.
  var isWarming: Bool { coldPackets > 0 }

  /// A packet was decoded.
  func warm() { coldPackets = max(0, coldPackets - 1) }

  /// Lets `decode` write both channels; returns the frames of their mean written, or a negative libopus code.
  func run(
    into pcm: inout MutableSpan<Float>,
    _ decode: (OpaquePointer, UnsafeMutablePointer<Float>?, Int32) -> Int32
  ) -> Int {
    sideFrames = 0
    let room = min(pcm.count, side.count)
    let frames = unsafe both.withUnsafeMutableBufferPointer { both in
      unsafe Int(decode(handle, both.baseAddress, Int32(clamping: room)))
    }
    guard frames > 0 else { return frames }
    let gain = 0.5 * (1 - Float(coldPackets) / Float(Self.warmingPackets))
    for index in 0..<frames {
      let (left, right) = (both[2 * index], both[2 * index + 1])
      pcm[index] = 0.5 * (left + right)
      side[index] = gain * (left - right)
    }
    sideFrames = frames
    return frames
  }

  /// See ``OpusDecoder/takeSide(from:into:)``.
  func takeSide(from first: Int, into pcm: inout MutableSpan<Float>) -> Int {
    let frames = max(0, min(sideFrames - first, pcm.count))
    for index in 0..<frames { pcm[index] = side[first + index] }
    return frames
  }

  /// Saves its state in place of an earlier one.
  func keep() { unsafe copus_decoder_keep(handle) }

  /// Restores the saved state.
  func goBack() { unsafe copus_decoder_go_back(handle) }

  /// Forgets the stream so far.
  func reset() {
    unsafe copus_decoder_reset(handle)
    (coldPackets, sideFrames) = (0, 0)
  }
}
