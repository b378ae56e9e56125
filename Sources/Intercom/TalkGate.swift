/// The gate that the talk key opens and closes, in 5 ms: the start of a word is not lost, and there is no click.
///
/// A position moves from 0 (closed) to 1 (open), and the gain is p²(3 − 2p), close to a raised cosine: its slope is 0
/// at both ends.
struct TalkGate {
  /// Changes that a second has room for.
  static let changesPerSecond = 200

  /// Where it moves; closed at first.
  var isOpen = false {
    didSet { if !isOpen { openingFrames = nil } }
  }
  private var position: Float = 0
  /// In how many frames it opens; nil: 5 ms.
  private var openingFrames: Int?

  /// Opens in so many frames, at least one.
  mutating func open(inFrames frames: Int) { (isOpen, openingFrames) = (true, max(1, frames)) }

  /// Lets frames pass, or none of them: closed, it leaves silence, and open each frame as it is.
  mutating func apply(to frames: inout MutableSpan<Float>, sampleRate: Int) {
    let usual = Float(Self.changesPerSecond) / Float(sampleRate)
    var index = 0
    if isOpen {
      let step = openingFrames.map { 1 / Float($0) } ?? usual
      while index < frames.count, position < 1 {
        position = min(position + step, 1)
        frames[index] *= gain
        index += 1
      }
      return
    }
    while index < frames.count, position > 0 {
      position = max(position - usual, 0)
      frames[index] *= gain
      index += 1
    }
    while index < frames.count {
      frames[index] = 0
      index += 1
    }
  }

  private var gain: Float { position * position * (3 - 2 * position) }
}

/// The gate of the microphone, which loses nothing at the edges of a key.
///
/// What the microphone hears at the moment of a press is in the period that is captured then, so the gate has to be
/// open at the end of what was captured before. It fades in on that: on what waits for its codec frame, and on as much
/// of the last 5 ms that passed already as can still be sent. Nothing that comes is late for it: media time goes back,
/// and the first codec frame begins earlier (``LookBack``). At a release what was captured before, and the period that
/// holds the moment, pass; the fade out comes after.
///
/// Loop thread only; allocates in `init`.
struct MicrophoneGate {
  /// 5 ms at the greatest rate that is known; at others the look-back is shorter.
  private static let longestFrames = 960

  private var gate = TalkGate()
  /// Captured frames, at JACK's rate, from before the talk key went up: the gate is still open for them.
  private(set) var openFrames = 0
  /// The last of what was not let through, the newest at the end.
  private var past = [Float](repeating: 0, count: longestFrames)
  private var pastFrames = 0
  /// Of ``past``, so many frames are let through after all, before anything that is captured.
  private(set) var replayFrames = 0

  /// Frames that it can look back.
  var rememberedFrames: Int { replayFrames > 0 ? 0 : pastFrames }

  /// Opens with the last frames of what it did not let through, and fades in on so many in all.
  mutating func open(replaying frames: Int, fadingFrames: Int) {
    // Of a press before this one in the same codec frame, what it looked back on is yet to come.
    if replayFrames == 0 { replayFrames = min(frames, pastFrames) }
    gate.open(inFrames: fadingFrames)
  }

  /// Is open for so many frames yet, beside those that pass after all.
  mutating func close(afterFrames frames: Int) { openFrames = frames }

  /// What was heard is history.
  mutating func forget() { (openFrames, pastFrames, replayFrames) = (0, 0, 0) }

  /// Takes what it lets through after all, as far as there is room; returns the frames.
  mutating func replay(into pcm: inout MutableSpan<Float>, sampleRate: Int) -> Int {
    let count = min(replayFrames, pcm.count)
    guard count > 0 else { return 0 }
    let start = pastFrames - replayFrames
    for index in 0..<count { pcm[index] = past[start + index] }
    replayFrames -= count
    if replayFrames == 0 { pastFrames = 0 }
    var heard = pcm._mutatingExtracting(..<count)
    gate.apply(to: &heard, sampleRate: sampleRate)
    return count
  }

  /// Lets frames pass that were captured, or none of them.
  mutating func apply(to pcm: inout MutableSpan<Float>, isOpen: Bool, sampleRate: Int) {
    if isOpen {
      pastFrames = 0
    } else {
      keep(pcm.span, most: min(Self.longestFrames, sampleRate / TalkGate.changesPerSecond))
    }
    let passing = min(openFrames, pcm.count)
    openFrames -= passing
    if passing > 0 {
      gate.isOpen = gate.isOpen || isOpen
      var heard = pcm._mutatingExtracting(..<passing)
      gate.apply(to: &heard, sampleRate: sampleRate)
    }
    // As long as frames pass it is open, over however many calls they come.
    guard passing < pcm.count else { return }
    gate.isOpen = isOpen
    var heard = pcm._mutatingExtracting(passing...)
    gate.apply(to: &heard, sampleRate: sampleRate)
  }

  private mutating func keep(_ pcm: Span<Float>, most: Int) {
    let new = min(pcm.count, most)
    let kept = min(pastFrames, most - new)
    for index in 0..<kept { past[index] = past[pastFrames - kept + index] }
    for index in 0..<new { past[kept + index] = pcm[pcm.count - new + index] }
    pastFrames = kept + new
  }
}

/// How far the gate looks back when a key is pressed.
///
/// As far as a whole fade, if the first codec frame is not complete yet then: none is sent later than it was captured.
/// And only by what leaves codec frames complete at the same moments of JACK's periods as before, a multiple of the
/// greatest common divisor of both: else all that is said after would wait longer for the callback.
struct LookBack {
  /// Frames at JACK's rate that pass after all.
  private(set) var frames = 0
  /// Frames at JACK's rate on which the gate fades in; those that wait count.
  let fadingFrames: Int

  /// - Parameters:
  ///   - waitingFrames: captured and not read yet, or in the voice chain, at JACK's rate.
  ///   - mostFrames: what is remembered and was not sent, at JACK's rate.
  ///   - codecRate: of `framesPerPacket`.
  init(
    waitingFrames: Int, mostFrames: Int, framesPerPacket: Int, codecRate: Int, periodFrames: Int,
    sampleRate: Int
  ) {
    let fade = sampleRate / TalkGate.changesPerSecond
    let packet = framesPerPacket * sampleRate
    let grain = max(1, Self.divisor(packet, periodFrames * codecRate) / codecRate)
    let room = max(0, min(mostFrames, packet / codecRate - 1 - waitingFrames))
    let wanted = (max(0, fade - waitingFrames) + grain - 1) / grain
    frames = min(wanted, room / grain) * grain
    // Where nothing can come before, what the key was pressed in begins with it.
    fadingFrames = min(fade, max(sampleRate / 1000, waitingFrames + frames))
  }

  private static func divisor(_ one: Int, _ other: Int) -> Int {
    var (one, other) = (one, other)
    while other != 0 { (one, other) = (other, one % other) }
    return one
  }
}
