internal import COpus

/// One Opus decoder (RFC 6716) with its packet loss concealment: 48 kHz, full scale ±1; mono, and the side of stereo
/// beside it where that is asked for.
///
/// Not thread-safe: made anywhere, then used by one thread (the event loop). Only the initialiser and `openSide`
/// allocate.
/// Payloads come from the network: whatever they hold, the answer is frames or a negative code.
@safe public final class OpusDecoder {
  /// The longest packet there is (RFC 6716 §2.1.4: 120 ms), in frames.
  public static let maximumPacketFrames = 5760
  /// Concealment works in steps of 2.5 ms.
  public static let concealmentStepFrames = 120

  /// Whether a libopus that calls itself so has better concealment, which decoders then use (1.5 and later).
  static func concealsDeeply(version: String) -> Bool {
    unsafe version.withCString { unsafe copus_conceals_deeply($0) != 0 }
  }

  private let handle: OpaquePointer
  /// The last packet was of the mode without FEC, and libopus would only conceal.
  private var isCELT = false
  private var keptIsCELT = false
  /// Nothing was decoded yet.
  private var isNew = true
  /// Once two channels are asked for.
  private var stereo: StereoDecoder?

  /// Makes a decoder.
  ///
  /// - Throws: `AudioError.codec` with libopus' words.
  public init() throws(AudioError) {
    var code: Int32 = 0
    guard let handle = unsafe copus_decoder_create(1, &code) else {
      throw .codec(attempt: "make a decoder", reason: opusWords(code))
    }
    unsafe self.handle = unsafe handle
  }

  deinit {
    unsafe copus_decoder_destroy(handle)
  }

  /// Decodes one packet.
  ///
  /// Hot path: no allocation.
  ///
  /// - Parameters:
  ///   - payload: one Opus packet; an empty one is malformed, not a loss.
  ///   - pcm: room for its frames; `maximumPacketFrames` is always enough.
  /// - Returns: the frames written from the span's start on, or a negative libopus code
  ///   (malformed, too little room).
  public func decode(_ payload: RawSpan, into pcm: inout MutableSpan<Float>) -> Int {
    unsafe payload.withUnsafeBytes { payload in
      // A null pointer would ask for concealment.
      guard let base = payload.baseAddress else { return Self.malformed }
      let bytes = unsafe base.assumingMemoryBound(to: UInt8.self)
      isNew = false
      let frames = unsafe run(into: &pcm) { handle, pcm, room in
        unsafe copus_decode(handle, bytes, Int32(clamping: payload.count), pcm, room)
      }
      stereo?.warm()
      if frames > 0 { isCELT = unsafe Self.isCELT(tableOfContents: bytes[0]) }
      return frames
    }
  }

  /// Decodes the frame lost right before a packet from its in-band FEC (RFC 6716 §2.1.7); the packet itself is decoded
  /// next.
  ///
  /// Where the FEC leaves parts out, as of silence, they are concealed. Hot path: no allocation.
  ///
  /// - Parameters:
  ///   - payload: one Opus packet of the speech mode, known to have FEC: of another, noise may come.
  ///   - pcm: filled wholly; as long as one codec frame of the packet.
  /// - Returns: the frames written; 0: the decoder cannot here, as the mode changes; or a negative libopus code.
  public func recover(from payload: RawSpan, into pcm: inout MutableSpan<Float>) -> Int {
    unsafe payload.withUnsafeBytes { payload in
      guard let base = payload.baseAddress else { return Self.malformed }
      let bytes = unsafe base.assumingMemoryBound(to: UInt8.self)
      guard unsafe !isCELT && !Self.isCELT(tableOfContents: bytes[0]) else { return 0 }
      return unsafe run(into: &pcm) { handle, pcm, room in
        unsafe copus_recover(handle, bytes, Int32(clamping: payload.count), pcm, room)
      }
    }
  }

  /// Conceals lost packets by continuing the signal.
  ///
  /// Hot path: no allocation.
  ///
  /// - Parameter pcm: filled wholly; its length is a multiple of `concealmentStepFrames`.
  /// - Returns: the frames written, or a negative libopus code for any other length.
  public func conceal(into pcm: inout MutableSpan<Float>) -> Int {
    unsafe run(into: &pcm) { handle, pcm, room in unsafe copus_decode(handle, nil, 0, pcm, room) }
  }

  /// Lets a decoder write to `pcm`: that of one channel, or of two, whose mean is written.
  private func run(
    into pcm: inout MutableSpan<Float>,
    _ decode: (OpaquePointer, UnsafeMutablePointer<Float>?, Int32) -> Int32
  ) -> Int {
    if let stereo {
      let frames = unsafe stereo.run(into: &pcm, decode)
      if frames <= 0 || !stereo.isWarming { return frames }
    }
    return unsafe pcm.withUnsafeMutableBufferPointer { pcm in
      unsafe Int(decode(handle, pcm.baseAddress, Int32(clamping: pcm.count)))
    }
  }

  /// Saves its state, some 20 KB (more with neural concealment), replacing an earlier one; always true.
  ///
  /// Hot path: no allocation.
  public func keep() -> Bool {
    unsafe copus_decoder_keep(handle)
    stereo?.keep()
    keptIsCELT = isCELT
    return true
  }

  /// Restores the saved state: at first that of a new decoder.
  ///
  /// Hot path: no allocation.
  public func goBack() {
    unsafe copus_decoder_go_back(handle)
    stereo?.goBack()
    isCELT = keptIsCELT
  }

  /// Forgets the stream so far, as before its first packet.
  ///
  /// Hot path: no allocation.
  public func reset() {
    unsafe copus_decoder_reset(handle)
    stereo?.reset()
    (isCELT, isNew) = (false, true)
  }

  /// Decodes two channels from now on: what is written is their mean, and beside it there is the side, half of what
  /// the left has more than the right; of mono packets it is silent.
  ///
  /// Allocates.
  /// - Returns: false: there is no memory for it.
  public func openSide() -> Bool {
    if stereo == nil { stereo = StereoDecoder(isWarm: isNew) }
    return stereo != nil
  }

  /// Decodes one channel again, as before the first packet.
  public func closeSide() {
    guard stereo != nil else { return }
    stereo = nil
    reset()
  }

  /// Writes the side of what was written last, from a frame of it on.
  ///
  /// Hot path: no allocation.
  /// - Returns: the frames written; 0: there is none.
  public func takeSide(from first: Int, into pcm: inout MutableSpan<Float>) -> Int {
    stereo?.takeSide(from: first, into: &pcm) ?? 0
  }

  /// RFC 6716 §3.1, table 2: configurations 16 to 31.
  private static func isCELT(tableOfContents: UInt8) -> Bool { tableOfContents >= 16 << 3 }

  /// OPUS_INVALID_PACKET.
  private static let malformed = -4
}
