/// Removes or repeats parts of a signal inaudibly: waveform-similarity overlap-add on the audio
/// decoded last.
///
/// New frames are appended to a line that also holds some history. Two taps read the line a lag
/// apart while the sound cross-fades from one to the other: towards the leading tap the lag is
/// taken out of the signal, towards the trailing one it is repeated. A fade may last longer than a
/// codec frame; it goes on with the next.
///
/// Where to: lags are compared by the correlation of the newest frames with those a lag earlier. A
/// quiet signal is cut at once; otherwise the match must be good, less so the more urgent it is,
/// and at the end anything goes. Not so where the sound repeats itself, as tones and vowels do: a cut that is
/// no whole period is heard there, so the sound is led there a little slower or faster (`Varispeed`).
///
/// Constants: lags to 10 ms hold a pitch period of all but the lowest voices; 5 ms of comparison
/// judge one; 3 ms of cross-fade are neither a click nor an echo; below -50 dBov no splice is heard.
struct Splicer {
  /// 10 ms.
  static let maximumLagFrames = 480
  /// Shorter ones are not worth a fade.
  static let minimumLagFrames = 8
  /// 3 ms.
  static let fadeFrames = 144
  /// 5 ms.
  static let comparedFrames = 240
  /// How much more than asked for may be repeated to get a better match: 0.5 ms.
  static let toleranceFrames = 24
  /// A match of this similarity is not heard.
  static let goodSimilarity: Float = 0.9
  /// 1 ms: of higher tones several periods are one.
  static let minimumPeriodFrames = 48
  /// Mean square of -50 dBov.
  static let quietMeanSquare: Float = 1e-5
  /// An urgency that no match is good enough for.
  static let onlyInSilence: Float = -1
  /// The most one call of `emit` writes beyond what was appended.
  static let surplusFrames = maximumLagFrames

  private struct Fade {
    let lag: Int
    let isRemoval: Bool
    let similarity: Float
    var frame = 0
  }

  private static let historyFrames = 1024
  private let capacityFrames: Int
  private var line: [Float]
  /// A second signal in step, spliced where and as the first is; empty: there is none.
  private var side: [Float] = []
  private var freshFrames = 0
  private var skipFrames = 0
  /// Frames emitted since the last reset; before them is silence.
  private var knownHistoryFrames = 0
  private var fade: Fade?
  private var varispeed: Varispeed?

  /// Makes a splicer for at most `freshFrames` frames appended between two calls of `emit`.
  init(freshFrames capacity: Int) {
    capacityFrames = capacity
    line = [Float](repeating: 0, count: Self.historyFrames + capacity)
  }

  /// Room left for `append`.
  var freeFrames: Int { capacityFrames - freshFrames }
  /// Frames appended and not yet emitted.
  var pendingFrames: Int { freshFrames }
  /// Frames of what was to be emitted last that wait for what comes after them.
  var heldFrames: Int { varispeed?.heldFrames(before: Self.historyFrames) ?? 0 }
  /// Whether a splice is under way.
  var isFading: Bool { fade != nil || varispeed != nil }

  /// Has a second signal in step from now on, silent as yet; allocates.
  mutating func openSide() { side = [Float](repeating: 0, count: line.count) }

  /// Has one signal again.
  mutating func closeSide() { side = [] }

  /// Lets `fill` write the second signal of the newest `frames`; where it does not, that is silent.
  mutating func fillSide(_ frames: Int, _ fill: (inout MutableSpan<Float>) -> Void) {
    guard !side.isEmpty, frames > 0 else { return }
    let end = Self.historyFrames + freshFrames
    let range = (end - min(frames, freshFrames))..<end
    var span = side.mutableSpan
    var place = span._mutatingExtracting(range)
    fill(&place)
  }

  /// Forgets the signal.
  mutating func reset() {
    unsafe line.withUnsafeMutableBufferPointer { unsafe $0.update(repeating: 0) }
    unsafe side.withUnsafeMutableBufferPointer { unsafe $0.update(repeating: 0) }
    freshFrames = 0
    skipFrames = 0
    knownHistoryFrames = 0
    fade = nil
    varispeed = nil
  }

  /// Lets `fill` write up to `frames` new frames and return how many it wrote.
  mutating func append(_ frames: Int, _ fill: (inout MutableSpan<Float>) -> Int) -> Int {
    let start = Self.historyFrames + freshFrames
    let end = start + min(frames, freeFrames)
    var span = line.mutableSpan
    var place = span._mutatingExtracting(start..<end)
    let written = max(0, min(fill(&place), place.count))
    freshFrames += written
    if !side.isEmpty { for index in start..<start + written { side[index] = 0 } }
    return written
  }

  /// Lets `look` see the newest `frames` appended.
  func withNewest(_ frames: Int, _ look: (Span<Float>) -> Void) {
    let end = Self.historyFrames + freshFrames
    look(line.span.extracting((end - min(frames, freshFrames))..<end))
  }

  /// Begins a splice in the appended frames if one of good quality is found.
  ///
  /// - Parameters:
  ///   - wantedFrames: to repeat (above 0) or take out (below 0).
  ///   - urgency: 0: only a good match; 1 and above: any, unless the sound repeats itself.
  /// - Returns: the frames it will repeat (above 0) or take out (below 0), 0 for none.
  mutating func splice(wantedFrames: Int, urgency: Float) -> Int {
    guard !isFading, knownHistoryFrames >= Self.maximumLagFrames,
      knownHistoryFrames + freshFrames >= Self.maximumLagFrames + Self.comparedFrames,
      let lags = lags(wantedFrames: wantedFrames)
    else { return 0 }
    let isRemoval = wantedFrames < 0
    let end = Self.historyFrames + freshFrames
    let lag: Int
    var similarity: Float = 0
    if isQuiet {
      lag = isRemoval ? lags.upperBound : min(wantedFrames, lags.upperBound)
    } else {
      guard urgency >= 0 else { return 0 }
      let match = SpliceSearch.bestLag(in: lags, line: line.span, end: end)
      let isGood = match.similarity >= Self.goodSimilarity
      guard isGood || urgency >= 1 || match.similarity >= Self.goodSimilarity - 0.5 * urgency
      else { return 0 }
      guard isGood || !repeatsItself else { return lead(by: wantedFrames) }
      (lag, similarity) = (match.lag, match.similarity)
    }
    fade = Fade(lag: lag, isRemoval: isRemoval, similarity: similarity)
    if isRemoval { skipFrames = lag }
    return isRemoval ? -lag : lag
  }

  /// Whether the newest frames are like some before them.
  private var repeatsItself: Bool {
    let lags = Self.minimumPeriodFrames...Self.maximumLagFrames
    let end = Self.historyFrames + freshFrames
    return SpliceSearch.bestLag(in: lags, line: line.span, end: end).similarity
      >= Self.goodSimilarity
  }

  /// Begins to lead the sound: earlier by three quarters at a time only, as a resampler may lead it meanwhile as well.
  private mutating func lead(by wantedFrames: Int) -> Int {
    let isRemoval = wantedFrames < 0
    let most = isRemoval ? -wantedFrames * 3 / 4 : wantedFrames
    let frames = min(max(most, Varispeed.leastFrames), Self.maximumLagFrames)
    varispeed = Varispeed(frames: isRemoval ? -frames : frames, from: Self.historyFrames)
    return isRemoval ? -frames : frames
  }

  /// Whether a splice in the newest frames would be inaudible.
  var isQuiet: Bool {
    let end = Self.historyFrames + freshFrames
    let newest = line.span.extracting((end - Self.comparedFrames)..<end)
    return Loudness.meanSquare(newest) < Self.quietMeanSquare
  }

  /// Writes what is pending to the start of `pcm`, which must hold `pendingFrames` and
  /// `surplusFrames` more.
  ///
  /// - Parameter other: gets as many frames of the second signal, if there is one.
  /// - Returns: the frames written, above 0 when more than a few were pending.
  mutating func emit(into pcm: inout MutableSpan<Float>, side other: inout [Float]) -> Int {
    let end = Self.historyFrames + freshFrames
    let written =
      if varispeed != nil { emitLed(end: end, into: &pcm, side: &other) } else {
        emitSpliced(end: end, into: &pcm, side: &other)
      }
    keepHistory(end: end)
    return written
  }

  private mutating func emitSpliced(
    end: Int, into pcm: inout MutableSpan<Float>, side other: inout [Float]
  ) -> Int {
    let range = min(Self.historyFrames + skipFrames, end)..<end
    if !side.isEmpty {
      var span = other.mutableSpan
      var fading = fade
      _ = Self.write(side.span, range, &fading, into: &span)
    }
    var fading = fade
    let written = Self.write(line.span, range, &fading, into: &pcm)
    fade = fading
    return written
  }

  private mutating func emitLed(
    end: Int, into pcm: inout MutableSpan<Float>, side other: inout [Float]
  ) -> Int {
    guard var leading = varispeed else { return 0 }
    if !side.isEmpty {
      var span = other.mutableSpan
      var beside = leading
      _ = beside.write(side.span, end: end, into: &span)
    }
    let written = leading.write(line.span, end: end, into: &pcm)
    leading.rebase(by: freshFrames)
    varispeed = leading.isOver ? nil : leading
    return written
  }

  /// The same of one signal.
  mutating func emit(into pcm: inout MutableSpan<Float>) -> Int {
    var none: [Float] = []
    return emit(into: &pcm, side: &none)
  }

  private static func write(
    _ line: Span<Float>, _ range: Range<Int>, _ fade: inout Fade?,
    into pcm: inout MutableSpan<Float>
  ) -> Int {
    let end = range.upperBound
    var position = range.lowerBound
    var written = 0
    while position < end, var fading = fade {
      pcm[written] = mix(fading, lead: line[position], trail: line[position - fading.lag])
      written += 1
      position += 1
      fading.frame += 1
      let isOver = fading.frame == fadeFrames
      if isOver && !fading.isRemoval { position -= fading.lag }
      fade = isOver ? nil : fading
    }
    let rest = max(0, end - position)
    copy(line.extracting(position..<(position + rest)), into: &pcm, at: written)
    return written + rest
  }

  /// Which lags may be used; nil: none.
  private func lags(wantedFrames: Int) -> ClosedRange<Int>? {
    if wantedFrames < 0 {
      // Something must remain to be emitted: nothing would mean a pause.
      let upper = min(-wantedFrames, Self.maximumLagFrames, freshFrames - Self.minimumLagFrames)
      return upper < Self.minimumLagFrames ? nil : min(upper, 24)...upper
    }
    guard wantedFrames > 0 else { return nil }
    let lower = min(max(wantedFrames, Self.minimumLagFrames), 24)
    return lower...min(max(wantedFrames, lower) + Self.toleranceFrames, Self.maximumLagFrames)
  }

  /// Cross-fade that keeps the power whatever the two signals have in common.
  private static func mix(_ fade: Fade, lead: Float, trail: Float) -> Float {
    let progress = Float(fade.frame + 1) / Float(fadeFrames)
    let (old, new) = (1 - progress, progress)
    let power = old * old + new * new + 2 * max(0, fade.similarity) * old * new
    let sum = fade.isRemoval ? old * trail + new * lead : old * lead + new * trail
    return sum / power.squareRoot()
  }

  private static func copy(
    _ source: Span<Float>, into pcm: inout MutableSpan<Float>, at offset: Int
  ) {
    unsafe source.withUnsafeBufferPointer { source in
      unsafe pcm.withUnsafeMutableBufferPointer { target in
        let place = unsafe UnsafeMutableBufferPointer(
          rebasing: target[offset..<(offset + source.count)])
        _ = unsafe place.update(fromContentsOf: source)
      }
    }
  }

  private mutating func keepHistory(end: Int) {
    Self.keepHistory(end: end, of: &line)
    if !side.isEmpty { Self.keepHistory(end: end, of: &side) }
    knownHistoryFrames = min(knownHistoryFrames + freshFrames, Self.historyFrames)
    freshFrames = 0
    skipFrames = 0
  }

  private static func keepHistory(end: Int, of line: inout [Float]) {
    unsafe line.withUnsafeMutableBufferPointer { line in
      guard let base = line.baseAddress else { return }
      unsafe base.update(from: base + (end - historyFrames), count: historyFrames)
    }
  }
}

/// Finds the lag at which a signal resembles itself most.
enum SpliceSearch {
  /// A lag and the normalised correlation at it, -1...1.
  struct Match {
    var lag: Int
    var similarity: Float
  }

  /// The best of `lags` for the `Splicer.comparedFrames` before `end` of `line`.
  ///
  /// Every fourth lag on a third of the samples first, then the neighbours of the best: some 10 000
  /// multiplications at most.
  static func bestLag(in lags: ClosedRange<Int>, line: Span<Float>, end: Int) -> Match {
    var best = Match(lag: lags.lowerBound, similarity: -2)
    for lag in stride(from: lags.lowerBound, through: lags.upperBound, by: 4) {
      improve(&best, lag: lag, line: line, end: end, stride: 3)
    }
    let nearby = max(lags.lowerBound, best.lag - 3)...min(lags.upperBound, best.lag + 3)
    best.similarity = -2
    for lag in nearby { improve(&best, lag: lag, line: line, end: end, stride: 2) }
    return best
  }

  private static func improve(
    _ best: inout Match, lag: Int, line: Span<Float>, end: Int, stride: Int
  ) {
    var (product, now, before): (Float, Float, Float) = (0, 1e-12, 1e-12)
    var index = end - Splicer.comparedFrames
    while index < end {
      let (new, old) = (line[index], line[index - lag])
      product += new * old
      now += new * new
      before += old * old
      index += stride
    }
    // A louder past is no match, however well shaped: the quotient is below 1 for any difference.
    let similarity = 2 * product / (now + before)
    if similarity > best.similarity { best = Match(lag: lag, similarity: similarity) }
  }
}
