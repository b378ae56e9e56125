internal import COpus

/// One Opus encoder (RFC 6716): 48 kHz, full scale ±1, mono or stereo.
///
/// Not thread-safe: made anywhere, then used by one thread (the event loop). Only the initialiser allocates.
@safe public final class OpusEncoder {
  /// The least complexity with CELT's pitch filter, and no worse than the highest: PESQ-WB of speech in 10 ms frames at
  /// 64 kbit/s is 4.10 at 1, 4.13 at 4, 4.45 at 5 and 4.44 at 10, for 22, 23, 32 and 42 µs a frame.
  public static let defaultComplexity = 5
  /// Range of the encoder's complexity.
  public static let complexityRange = 0...10
  /// Bits per second an encoder takes.
  public static let bitrateRange = 6000...510_000
  /// Frames that one call may code: 2.5, 5, 10, 20, 40, 60 ms.
  public static let frameSizes = [120, 240, 480, 960, 1920, 2880]

  /// Frames by which the coded sound is late: what a decoder gives out at frame n went in at n − this.
  public let lookaheadFrames: Int

  private let handle: OpaquePointer
  private let channels: Int

  /// Makes an encoder.
  ///
  /// - Parameters:
  ///   - application: what it is tuned for; decides `lookaheadFrames`.
  ///   - bitrateBitsPerSecond: the mean to aim at, within `bitrateRange`; single packets vary.
  ///   - complexity: within `complexityRange`, 0 is the cheapest.
  ///   - bandwidth: the most of the spectrum to code.
  ///   - channels: 1 or 2.
  /// - Throws: `AudioError.codec` with libopus' words.
  public init(
    application: OpusApplication, bitrateBitsPerSecond: Int,
    complexity: Int = OpusEncoder.defaultComplexity, bandwidth: OpusBandwidth = .full,
    channels: Int = 1
  ) throws(AudioError) {
    var code: Int32 = 0
    let handle = unsafe copus_encoder_create(
      application.shimValue, Int32(clamping: channels), &code)
    guard let handle = unsafe handle else {
      throw .codec(
        attempt: "make an encoder of \(channels) channels for \(application)",
        reason: opusWords(code))
    }
    unsafe self.handle = unsafe handle
    self.channels = channels
    lookaheadFrames = unsafe Int(copus_encoder_lookahead_frames(handle))
    try setBitrate(bitsPerSecond: bitrateBitsPerSecond)
    code = unsafe copus_encoder_set_complexity(handle, Int32(clamping: complexity))
    guard code == 0 else {
      throw .codec(attempt: "set complexity \(complexity) (0 to 10)", reason: opusWords(code))
    }
    code = unsafe copus_encoder_set_max_bandwidth(handle, bandwidth.shimValue)
    guard code == 0 else {
      throw .codec(attempt: "keep to bandwidth \(bandwidth)", reason: opusWords(code))
    }
  }

  deinit {
    unsafe copus_encoder_destroy(handle)
  }

  /// Aims at another bit rate from the next packet on.
  ///
  /// - Throws: `AudioError.codec` when it is outside `bitrateRange`; the old one stays.
  public func setBitrate(bitsPerSecond: Int) throws(AudioError) {
    let code = unsafe copus_encoder_set_bitrate(handle, Int32(clamping: bitsPerSecond))
    guard code == 0 else {
      throw .codec(
        attempt: "set bit rate \(bitsPerSecond) (\(Self.bitrateRange) bit/s)",
        reason: opusWords(code))
    }
  }

  /// Sets the loss, percent, that in-band FEC is made for (RFC 6716 §2.1.7); 0: off.
  ///
  /// Only packets of 10 ms and more in the speech mode can, and as the bit rate stays what it is, the voice itself gets
  /// less of it: in libopus 1.3.1 a quarter to a third less,
  /// and above a loss of 5 % less of the spectrum where the bit rate is too low for both.
  ///
  /// - Throws: `AudioError.codec` when it is outside 0...100; the old one stays.
  public func setExpectedLoss(percent: Int) throws(AudioError) {
    let code = unsafe copus_encoder_set_expected_loss(handle, Int32(clamping: percent))
    guard code == 0 else {
      throw .codec(attempt: "expect a loss of \(percent) % (0 to 100)", reason: opusWords(code))
    }
  }

  /// Resets the signal; the settings stay.
  ///
  /// Hot path: no allocation.
  public func reset() {
    unsafe copus_encoder_reset(handle)
  }

  /// Codes one Opus packet.
  ///
  /// Hot path: no allocation.
  ///
  /// - Parameters:
  ///   - pcm: exactly one of `frameSizes` frames; of two channels interleaved, left first.
  ///   - payload: where the packet goes, from its first byte on; less room means a lower bit rate.
  /// - Returns: the packet's bytes, or a negative libopus code (wrong frame size, no room).
  public func encode(_ pcm: Span<Float>, into payload: inout MutableRawSpan) -> Int {
    unsafe pcm.withUnsafeBufferPointer { pcm in
      unsafe payload.withUnsafeMutableBytes { payload in
        let bytes = unsafe payload.baseAddress?.assumingMemoryBound(to: UInt8.self)
        return unsafe Int(
          copus_encode(
            handle, pcm.baseAddress, Int32(clamping: pcm.count / channels), bytes,
            Int32(clamping: payload.count)))
      }
    }
  }
}

/// libopus' words for one of its codes.
func opusWords(_ code: Int32) -> String {
  unsafe String(cString: copus_error_text(code))
}

/// The encoder's mode; decides its look-ahead.
public enum OpusApplication: String, CaseIterable, Sendable {
  /// OPUS_APPLICATION_RESTRICTED_LOWDELAY: CELT only, 120 frames (2.5 ms) of look-ahead.
  case lowDelay = "lowdelay"
  /// OPUS_APPLICATION_VOIP: speech, SILK or hybrid from 10 ms on, 312 frames (6.5 ms) of look-ahead.
  case voip
  /// OPUS_APPLICATION_AUDIO: any sound, 312 frames (6.5 ms) of look-ahead.
  case audio

  /// The value COpus takes.
  var shimValue: copus_application {
    switch self {
    case .lowDelay: COPUS_LOWDELAY
    case .voip: COPUS_VOIP
    case .audio: COPUS_AUDIO
    }
  }
}

/// Audio bandwidth of an encoder (RFC 6716 §2, table 1).
public enum OpusBandwidth: String, CaseIterable, Sendable {
  /// Up to 8 kHz: all that speech needs to be understood, at a third of the work.
  case wide
  /// Up to 20 kHz.
  case full

  /// The value COpus takes.
  var shimValue: copus_bandwidth {
    switch self {
    case .wide: COPUS_WIDE
    case .full: COPUS_FULL
    }
  }
}
