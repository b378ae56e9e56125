/// Makes the sound: decodes or conceals, splices, fades.
///
/// A run of invented sound keeps its level for 20 ms, which bridges single losses, and then falls
/// to nothing at 100 ms: what a codec invents for longer is not speech but a buzz. In its place the
/// talker's room fades in (`ComfortNoise`), stays for 2 s, as long as a network needs to recover,
/// and then fades away within 1 s: a peer that is gone for good is silent. Sound that returns
/// fades in over the noise, for 20 ms: Opus codes what changed since the frame before, and after a
/// gap its decoder is too loud for two or three.
///
/// A packet that is only late is not lost: what stands for it is invented at once but played little by little, and as
/// soon as it comes the decoder goes back to before the invention, so that the rest of it sounds and what follows is as
/// it should be (`ConcealedPacket`).
struct Playback {
  /// 100 ms.
  static let concealmentLimitFrames = 4800
  /// 20 ms.
  private static let concealmentHoldFrames = 960
  /// 2 s of comfort noise after a gap's first 100 ms, and 1 s more in which it falls.
  private static let noiseHoldFrames = 96_000
  private static let noiseFallFrames = 48_000
  /// 5 ms up at a start; as much as a closing fade down.
  private static let startRiseFrames = 240
  /// 20 ms up after a gap.
  private static let returnRiseFrames = 960
  /// Concealment comes in multiples of the shortest codec frame, 2.5 ms.
  static let concealmentUnitFrames = 120

  /// Less of a better fit is not worth a frame of delay.
  private static let misfitTolerance: Float = 0.01

  private let decoder: any FrameDecoder
  private var splicer = Splicer(freshFrames: 5760)
  private var envelope = Envelope()
  private var closingFade = ClosingFade()
  private var continuation = [Float](repeating: 0, count: concealmentUnitFrames)
  private var invention = ConcealedPacket()
  private var noise = ComfortNoise()
  /// The decoder learnt what was invented; how the invention would have gone on is in `continuation`.
  private var isLearnt = false
  /// What a decoder says that is not to be heard.
  private var unheard = [Float](repeating: 0, count: ConcealedPacket.mostFrames)
  /// Noise sounds where the envelope leaves room.
  private var isNoisy = false
  private var noiseFrames = 0
  /// How the invention would have gone on, of the side.
  private var sideContinuation: [Float] = []
  private var sideFade: ClosingFade?
  /// What was emitted last, of the side; empty: there is one channel.
  private(set) var side: [Float] = []
  /// How much of it there is; what is missing is silent.
  private(set) var sideFrames = 0
  /// What a whole rise takes.
  private var riseFrames = startRiseFrames

  /// Frames invented in a row up to now.
  private(set) var concealedRunFrames = 0
  /// Frames appended to be emitted.
  var pendingFrames: Int { splicer.pendingFrames }
  /// Frames of before that wait for them.
  var heldFrames: Int { splicer.heldFrames }
  /// The end of what was emitted.
  var history: [Float] { closingFade.tail }
  /// The same of the side; empty: there is one channel.
  var sideHistory: [Float] { sideFade?.tail ?? [] }
  /// Whether there are two channels: what is emitted is their mean, beside which there is a side.
  var hasSide: Bool { !side.isEmpty }

  init(decoder: any FrameDecoder) { self.decoder = decoder }

  /// Has two channels from now on, of which the side is silent as yet; false: the decoder cannot.
  ///
  /// Allocates.
  mutating func openSide() -> Bool {
    guard decoder.openSide() else { return false }
    splicer.openSide()
    invention.openSide()
    sideContinuation = [Float](repeating: 0, count: Self.concealmentUnitFrames)
    sideFade = ClosingFade()
    side = [Float](repeating: 0, count: PeerStream.maximumCodedFrames)
    return true
  }

  /// Has one channel again, between two sounds.
  mutating func closeSide() {
    decoder.closeSide()
    splicer.closeSide()
    invention.closeSide()
    (sideContinuation, sideFade, side, sideFrames) = ([], nil, [], 0)
  }

  /// Nothing of the side is emitted yet.
  mutating func forgetSide() { sideFrames = 0 }

  /// Another stream begins: its decoder knows nothing.
  mutating func resetDecoder() {
    decoder.reset()
    invention.forget()
    noise.forget()
  }

  /// Sound begins, faded in: after silence, or after the noise in a gap.
  mutating func open(afterGap isGap: Bool = false) {
    splicer.reset()
    envelope.silence()
    invention.forget()
    isLearnt = false
    concealedRunFrames = 0
    isNoisy = isNoisy && isGap
    if !isGap { riseFrames = Self.startRiseFrames }
  }

  /// Appends a packet's sound, or invented sound where the decoder fails; false: it failed.
  ///
  /// - Parameters:
  ///   - isTurnedBackTo: what was invented last stood for this packet: a little more of it
  ///     is made to cross-fade from, as the two do not meet.
  ///   - passed: so many of its first frames are left out, as an invention stood for it and they were played;
  ///     nil: none did.
  mutating func decode(
    _ payload: RawSpan, frames: Int, isTurnedBackTo: Bool, passed: Int?
  ) -> Bool {
    let decoder = decoder
    let isJoined = isTurnedBackTo || passed ?? 0 > 0 || isLearnt
    if isJoined && !isLearnt {
      var invention = invention
      var span = continuation.mutableSpan
      let isKnown = invention.take(into: &span) == span.count
      if !isKnown { _ = decoder.conceal(into: &span) }
      if hasSide {
        var other = sideContinuation.mutableSpan
        if isKnown {
          invention.takeSide(ofLast: other.count, into: &other)
        } else {
          _ = decoder.takeSide(from: 0, into: &other)
        }
      }
    }
    if passed != nil { decoder.goBack() }
    invention.forget()
    isLearnt = false
    let continuation = continuation
    var unfit = 0
    let written = splicer.append(frames) {
      let written = Self.leaveOut(passed ?? 0, of: decoder.decode(payload, into: &$0), &$0)
      guard isJoined, written >= continuation.count else { return written }
      if isTurnedBackTo { unfit = Self.misfit(continuation.span, $0.span) }
      let fitting = Self.leaveOut(unfit, of: written, &$0)
      Self.join(continuation.span, &$0, frames: min(fitting, continuation.count))
      return fitting
    }
    guard written > 0 else {
      conceal(frames: frames - (passed ?? 0))
      return false
    }
    let (other, sideContinuation) = ((passed ?? 0) + unfit, sideContinuation)
    splicer.fillSide(written) {
      let count = decoder.takeSide(from: other, into: &$0)
      if isJoined {
        Self.join(sideContinuation.span, &$0, frames: min(count, sideContinuation.count))
      }
    }
    splicer.withNewest(written) { noise.learn(from: $0) }
    concealedRunFrames = 0
    envelope.rise(frames: riseFrames)
    return true
  }

  /// Appends the sound of so many frames right before a packet, as the packet's in-band FEC tells of it;
  /// false: the decoder cannot.
  mutating func recover(from payload: RawSpan, frames: Int) -> Bool {
    let decoder = decoder
    invention.forget()
    let written = splicer.append(frames) { decoder.recover(from: payload, into: &$0) }
    guard written > 0 else { return false }
    splicer.fillSide(written) { _ = decoder.takeSide(from: 0, into: &$0) }
    concealedRunFrames = 0
    envelope.rise(frames: riseFrames)
    return true
  }

  /// Invents the sound of so many frames, but a multiple of `concealmentUnitFrames`, for `conceal` to take;
  /// false: the decoder could not go back.
  mutating func beginInvention(frames: Int) -> Bool {
    guard frames <= ConcealedPacket.mostFrames, decoder.keep() else { return false }
    let decoder = decoder
    invention.begin(frames) { decoder.conceal(into: &$0) }
    invention.fillSide { _ = decoder.takeSide(from: 0, into: &$0) }
    return true
  }

  /// Whether all since `beginInvention` was taken from there.
  var isInventing: Bool { invention.isOpen }

  /// Takes a packet for which sound was invented wholly: the decoder is to know it, or what follows sounds wrong, too.
  mutating func learn(_ payload: RawSpan, frames: Int) {
    guard isInventing, frames <= unheard.count else { return }
    let decoder = decoder
    invention.forget()
    var next = continuation.mutableSpan
    isLearnt = decoder.conceal(into: &next) == next.count
    if hasSide {
      var other = sideContinuation.mutableSpan
      _ = decoder.takeSide(from: 0, into: &other)
    }
    decoder.goBack()
    var span = unheard.mutableSpan
    var place = span._mutatingExtracting(0..<frames)
    _ = decoder.decode(payload, into: &place)
  }

  /// Appends invented sound: a multiple of `concealmentUnitFrames`.
  mutating func conceal(frames: Int) {
    let decoder = decoder
    isLearnt = false
    var invention = invention
    var written = splicer.append(frames) { invention.take(into: &$0) }
    splicer.fillSide(written) { invention.takeSide(ofLast: written, into: &$0) }
    self.invention = invention
    if written < frames {
      self.invention.forget()
      let more = splicer.append(frames - written) { decoder.conceal(into: &$0) }
      splicer.fillSide(more) { _ = decoder.takeSide(from: 0, into: &$0) }
      written += more
    }
    if written < frames {
      _ = splicer.append(frames - written) { Self.writeSilence(into: &$0) }
    }
    let left = Self.concealmentLimitFrames - concealedRunFrames
    concealedRunFrames += frames
    guard concealedRunFrames > Self.concealmentHoldFrames else { return }
    envelope.fall(frames: left)
    riseFrames = Self.returnRiseFrames
    if !isNoisy && noise.meanSquare > 0 {
      noise.prepare()
      isNoisy = true
      noiseFrames = 0
    }
  }

  /// Repeats or takes out sound within what is appended; see `Splicer`.
  mutating func splice(wantedFrames: Int, urgency: Float) -> Int {
    splicer.splice(wantedFrames: wantedFrames, urgency: urgency)
  }

  /// Whether sound is repeated or taken out just now.
  var isSplicing: Bool { splicer.isFading }

  /// Whether nobody would hear a splice in what was appended last.
  var isQuiet: Bool { splicer.isQuiet }

  /// Writes what was appended to the start of `pcm`.
  mutating func emit(into pcm: inout MutableSpan<Float>) -> Int {
    let frames = splicer.emit(into: &pcm, side: &side)
    if hasSide { finishSide(frames) }
    if isNoisy {
      cover(&pcm, frames: frames)
      isNoisy = envelope.gain < 1
    } else {
      envelope.apply(to: &pcm, frames: frames)
    }
    closingFade.remember(pcm, frames: frames)
    return frames
  }

  /// Writes up to `frames` of comfort noise to the start of `pcm`; 0 when a gap has none (any more).
  mutating func fill(_ frames: Int, into pcm: inout MutableSpan<Float>) -> Int {
    guard isNoisy, frames > 0 else { return 0 }
    envelope.silence()
    let written = min(frames, pcm.count, Self.noiseHoldFrames + Self.noiseFallFrames - noiseFrames)
    for index in 0..<written {
      let late = max(0, noiseFrames + index - Self.noiseHoldFrames)
      pcm[index] = noise.next() * (1 - Float(late) / Float(Self.noiseFallFrames))
    }
    noiseFrames += written
    closingFade.remember(pcm, frames: written)
    if hasSide { silenceSide(written) }
    if written == 0 { isNoisy = false }
    return written
  }

  /// Writes the end of the sound to the start of `pcm`; what follows is faded in.
  mutating func close(into pcm: inout MutableSpan<Float>) -> Int {
    open()
    if var fade = sideFade.take() {
      var span = side.mutableSpan
      let frames = fade.write(into: &span)
      (sideFade, sideFrames) = (fade, frames)
    }
    return closingFade.write(into: &pcm)
  }

  /// The side's gains are those of the mean, which moves after it; noise has no side.
  private mutating func finishSide(_ frames: Int) {
    guard var fade = sideFade.take() else { return }
    var gains = envelope
    var span = side.mutableSpan
    gains.apply(to: &span, frames: frames)
    fade.remember(span, frames: frames)
    (sideFade, sideFrames) = (fade, frames)
  }

  private mutating func silenceSide(_ frames: Int) {
    guard var fade = sideFade.take() else { return }
    let count = min(frames, side.count)
    for index in 0..<count { side[index] = 0 }
    let span = side.mutableSpan
    fade.remember(span, frames: count)
    (sideFade, sideFrames) = (fade, count)
  }

  /// Applies the envelope, with noise where it leaves room: their powers add up to one.
  private mutating func cover(_ pcm: inout MutableSpan<Float>, frames: Int) {
    for index in 0..<frames {
      let gain = envelope.next()
      pcm[index] = gain * pcm[index] + (1 - gain * gain).squareRoot() * noise.next()
    }
  }

  /// Cross-fades from `old` to what `new` begins with.
  private static func join(_ old: Span<Float>, _ new: inout MutableSpan<Float>, frames: Int) {
    for index in 0..<max(0, frames) {
      let progress = Float(index + 1) / Float(frames)
      new[index] = old[index] + (new[index] - old[index]) * progress
    }
  }

  /// How many of its first frames `new` does better without, so that it goes on where `old` is: a third of that at
  /// most; 0 where nothing fits.
  private static func misfit(_ old: Span<Float>, _ new: Span<Float>) -> Int {
    var best = (frames: 0, similarity: Float(-1))
    for left in 0...(old.count / 3) {
      var (product, power): (Float, Float) = (0, 1e-12)
      for index in 0..<(old.count - left) {
        let (one, other) = (old[index], new[index + left])
        product += one * other
        power += one * one + other * other
      }
      let similarity = 2 * product / power
      if similarity > best.similarity + misfitTolerance { best = (left, similarity) }
    }
    return best.similarity >= Splicer.goodSimilarity ? best.frames : 0
  }

  /// Moves what comes after the first `passed` of `written` frames to the start; returns how many those are.
  private static func leaveOut(_ passed: Int, of written: Int, _ pcm: inout MutableSpan<Float>)
    -> Int
  {
    guard passed > 0, written > passed else { return written }
    for index in passed..<written { pcm[index - passed] = pcm[index] }
    return written - passed
  }

  /// Writes silence to the whole of `pcm`.
  static func writeSilence(into pcm: inout MutableSpan<Float>) -> Int {
    for index in pcm.indices { pcm[index] = 0 }
    return pcm.count
  }
}
