/// Makes the sound: decodes or conceals, splices, fades.
///
/// A run of invented sound keeps its level for 20 ms, which bridges single losses, and then falls
/// to silence at 100 ms: what a codec invents for longer is not speech, and a dead peer is to be
/// silent at once.
struct Playback {
  /// 100 ms.
  static let concealmentLimitFrames = 4800
  /// 20 ms.
  private static let concealmentHoldFrames = 960
  /// 5 ms up at a start; as much as a closing fade down.
  private static let riseFrames = 240
  /// Concealment comes in multiples of the shortest codec frame, 2.5 ms.
  static let concealmentUnitFrames = 120

  private let decoder: any FrameDecoder
  private var splicer = Splicer(freshFrames: 5760)
  private var envelope = Envelope()
  private var closingFade = ClosingFade()
  private var continuation = [Float](repeating: 0, count: concealmentUnitFrames)

  /// Frames invented in a row up to now.
  private(set) var concealedRunFrames = 0
  /// Frames appended to be emitted.
  var pendingFrames: Int { splicer.pendingFrames }

  init(decoder: any FrameDecoder) { self.decoder = decoder }

  /// Another stream begins: its decoder knows nothing.
  mutating func resetDecoder() { decoder.reset() }

  /// Sound begins after silence, faded in.
  mutating func open() {
    splicer.reset()
    envelope.silence()
    concealedRunFrames = 0
  }

  /// Appends a packet's sound, or invented sound where the decoder fails; false: it failed.
  ///
  /// - Parameter isTurnedBackTo: what was invented last stood for this packet: a little more of it
  ///   is made to cross-fade from, as the two do not meet.
  mutating func decode(_ payload: RawSpan, frames: Int, isTurnedBackTo: Bool) -> Bool {
    let decoder = decoder
    if isTurnedBackTo {
      var span = continuation.mutableSpan
      _ = decoder.conceal(into: &span)
    }
    let continuation = continuation
    let written = splicer.append(frames) {
      let written = decoder.decode(payload, into: &$0)
      if isTurnedBackTo && written >= continuation.count { Self.join(continuation.span, &$0) }
      return written
    }
    guard written > 0 else {
      conceal(frames: frames)
      return false
    }
    concealedRunFrames = 0
    envelope.rise(frames: Self.riseFrames)
    return true
  }

  /// Appends invented sound: a multiple of `concealmentUnitFrames`.
  mutating func conceal(frames: Int) {
    let decoder = decoder
    let written = splicer.append(frames) { decoder.conceal(into: &$0) }
    if written < frames {
      _ = splicer.append(frames - written) { Self.writeSilence(into: &$0) }
    }
    let left = Self.concealmentLimitFrames - concealedRunFrames
    concealedRunFrames += frames
    if concealedRunFrames > Self.concealmentHoldFrames { envelope.fall(frames: left) }
  }

  /// Repeats or takes out sound within what is appended; see `Splicer`.
  mutating func splice(wantedFrames: Int, urgency: Float) -> Int {
    splicer.splice(wantedFrames: wantedFrames, urgency: urgency)
  }

  /// Writes what was appended to the start of `pcm`.
  mutating func emit(into pcm: inout MutableSpan<Float>) -> Int {
    let frames = splicer.emit(into: &pcm)
    envelope.apply(to: &pcm, frames: frames)
    closingFade.remember(pcm, frames: frames)
    return frames
  }

  /// Writes the end of the sound to the start of `pcm`; what follows is faded in.
  mutating func close(into pcm: inout MutableSpan<Float>) -> Int {
    open()
    return closingFade.write(into: &pcm)
  }

  /// Cross-fades from `old` to what `new` begins with.
  private static func join(_ old: Span<Float>, _ new: inout MutableSpan<Float>) {
    for index in old.indices {
      let progress = Float(index + 1) / Float(old.count)
      new[index] = old[index] + (new[index] - old[index]) * progress
    }
  }

  /// Writes silence to the whole of `pcm`.
  static func writeSilence(into pcm: inout MutableSpan<Float>) -> Int {
    for index in pcm.indices { pcm[index] = 0 }
    return pcm.count
  }
}
