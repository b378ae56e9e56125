import Audio

/// Turns what the audio thread captured, at JACK's rate, into codec frames at 48 kHz.
///
/// Loop thread only.
///
/// At 48 kHz the capture ring itself is the accumulator and nothing is copied twice.
final class CaptureSource {
  private static let codecRate = 48_000
  private static let chunkFrames = 256
  static let longestFrames = 2880
  /// A chunk from 8 kHz grows sixfold; a little more for what the converter held back.
  static let mostConvertedFrames = 8 * chunkFrames

  private let engine: AudioEngine
  /// Frames of a codec frame; another number makes ``frame`` anew.
  var framesPerPacket: Int {
    didSet { frame = [Float](repeating: 0, count: framesPerPacket) }
  }
  private(set) var frame: [Float]
  private var chunk: [Float]
  private var converted: [Float]
  private var pending: [Float]
  private var pendingCount = 0
  private var resampler: Resampler?
  /// Whether the resampler holds some of what it was given last.
  private var isResamplerUsed = false
  private var rate = CaptureSource.codecRate
  /// The talk key's: what it does not let through is in no packet and on no tape.
  private var gate = MicrophoneGate()
  /// Captured frames as they are read.
  private var samples: [Float]
  private let channels: Int
  private let microphone: Microphone
  private let voice: VoiceDesk
  /// Where recorders get what is read of the microphone.
  private let taps: Taps
  /// Beside the microphone, in step with it.
  private let inputs: [FurtherInput]

  /// Allocates everything for codec frames of `framesPerPacket`.
  init(
    engine: AudioEngine, microphone: Microphone, voice: VoiceDesk, taps: Taps,
    inputs: [FurtherInput] = [], framesPerPacket: Int
  ) {
    self.engine = engine
    self.microphone = microphone
    self.voice = voice
    (self.taps, self.inputs) = (taps, inputs)
    self.framesPerPacket = framesPerPacket
    frame = [Float](repeating: 0, count: framesPerPacket)
    channels = engine.captureChannels
    samples = [Float](repeating: 0, count: Self.longestFrames * channels)
    chunk = [Float](repeating: 0, count: Self.chunkFrames)
    converted = [Float](repeating: 0, count: Self.mostConvertedFrames)
    pending = [Float](repeating: 0, count: Self.longestFrames + Self.mostConvertedFrames)
  }

  /// Follows JACK's sample rate; allocates only when it changed.
  func setRate(_ sampleRate: Int) throws(AudioError) {
    voice.setRate(sampleRate)
    guard sampleRate != rate else { return }
    let ratio = sampleRate == Self.codecRate ? nil : ratio(from: sampleRate)
    resampler = try ratio.map { ratio throws(AudioError) in try Resampler(ratio: ratio) }
    for input in inputs { try input.setResampling(ratio: ratio) }
    rate = sampleRate
    isResamplerUsed = false
    pendingCount = 0
  }

  /// Captured frames at `sampleRate` that make a codec frame, or the rest of one: fewer are not worth a wake-up.
  func neededFrames(sampleRate: Int) -> Int {
    let frames = (framesPerPacket * sampleRate + Self.codecRate - 1) / Self.codecRate
    return max(0, frames - gate.replayFrames)
  }

  /// Whether something from before the key was pressed comes yet.
  var looksBack: Bool { gate.replayFrames > 0 }

  /// Fills ``frame`` with the next codec frame; false when not enough was captured yet.
  func fillFrame() -> Bool {
    guard let resampler else {
      guard engine.captureAvailableFrames + gate.replayFrames >= framesPerPacket
      else { return false }
      var span = frame.mutableSpan
      guard read(into: &span) == framesPerPacket else { return false }
      for input in inputs { input.fillFrame() }
      return true
    }
    while pendingCount < framesPerPacket {
      guard resampleChunk(resampler) else { return false }
    }
    takePending()
    for input in inputs { input.fillFrame() }
    return true
  }

  /// Fills ``frame`` with the newest codec frame that is complete; returns the frames at 48 kHz that came before, nil
  /// if there is none.
  func fillNewestFrame() -> Int? {
    var (count, holeFrames) = (0, 0)
    while fillFrame() {
      count += 1
      holeFrames += takeHoleFrames()
    }
    return count > 0 ? (count - 1) * framesPerPacket + holeFrames : nil
  }

  /// Frames at 48 kHz that passed unheard before ``frame``, or in it; once.
  ///
  /// A codec frame that holds sound from before and after counts as one after: the others heard nothing else meanwhile.
  func takeHoleFrames() -> Int { engine.takeCaptureHole() * Self.codecRate / rate }

  /// Throws away what was captured while nobody listened.
  func discardAll() {
    if taps.isEmpty {
      engine.discardCapture()
    } else {
      var span = chunk.mutableSpan
      while engine.captureAvailableFrames > 0, read(into: &span) > 0 {}
    }
    for input in inputs { input.discard() }
    _ = engine.takeCaptureHole()
    pendingCount = 0
    gate.forget()
    if isResamplerUsed { resampler?.reset() }
    isResamplerUsed = false
  }

  /// Codec frames that hold something that was captured by now and not filled in yet.
  var waitingPackets: Int {
    let captured = engine.captureAvailableFrames + gate.replayFrames
    let frames = pendingCount + captured * Self.codecRate / rate
    return (frames + framesPerPacket - 1) / framesPerPacket
  }

  /// Codec frames of what passes yet though the talk key is up.
  var passingPackets: Int {
    let captured = gate.replayFrames + gate.openFrames
    let frames = pendingCount + captured * Self.codecRate / rate
    return (frames + framesPerPacket - 1) / framesPerPacket
  }

  /// The talk key goes up: what was captured before passes yet, and the period that is captured now, as late as the
  /// voice chain makes them.
  func close() {
    gate.close(afterFrames: engine.captureAvailableFrames + periodFrames + voice.delayFrames)
  }

  /// The talk key goes down: the gate has faded in by the end of what was captured.
  ///
  /// - Parameter quietFrames: at 48 kHz, since the end of what was sent last; nil: what passed is not to come again.
  /// - Returns: frames at 48 kHz by which the next codec frame begins earlier.
  func open(quietFrames: Int?) -> Int {
    guard microphone.isOpen else { return 0 }
    // Recorders have what passed already.
    let isSettled = voice.takesBlocks || taps.keepsCaptured || periodFrames == 0
    let unsent = (isSettled ? nil : quietFrames).map { $0 + pendingCount } ?? 0
    let lookBack = LookBack(
      waitingFrames: engine.captureAvailableFrames + voice.delayFrames,
      mostFrames: min(unsent * rate / Self.codecRate, gate.rememberedFrames),
      framesPerPacket: framesPerPacket, codecRate: Self.codecRate, periodFrames: periodFrames,
      sampleRate: rate)
    gate.open(replaying: lookBack.frames, fadingFrames: lookBack.fadingFrames)
    let frames = lookBack.frames * Self.codecRate / rate
    // The silence of the same moments, where it was read already.
    let pending = min(frames, pendingCount)
    pendingCount -= pending
    for input in inputs { input.wait(frames: frames - pending) }
    return frames - pending
  }

  private var periodFrames: Int { engine.periodTime()?.periodFrames ?? 0 }

  /// Takes what is to pass of before a press, then what was captured.
  private func read(into pcm: inout MutableSpan<Float>) -> Int {
    let replayed = gate.replay(into: &pcm, sampleRate: rate)
    var rest = pcm._mutatingExtracting(replayed...)
    return replayed + readCaptured(into: &rest)
  }

  /// Takes the oldest captured frames: the microphone by way of the voice chain and past the talk key, which recorders
  /// may have, and what is sent in its place.
  private func readCaptured(into pcm: inout MutableSpan<Float>) -> Int {
    let availableFrames = engine.captureAvailableFrames
    let count = take(pcm.count, into: &samples)
    guard count > 0 else { return 0 }
    var place = AudioEngine.CaptureChannel.microphone
    for index in 0..<count {
      pcm[index] = samples[place]
      place += channels
    }
    var heard = pcm._mutatingExtracting(..<count)
    taps.listener?.hear(untreated: heard.span, sampleRate: rate)
    voice.process(
      &heard, captured: samples.span, channels: channels, isTalking: microphone.isTalking)
    taps.hear(heard.span, sampleRate: rate)
    gate.apply(to: &heard, isOpen: microphone.isOpen, sampleRate: rate)
    taps.keepCaptured(pcm.span.extracting(..<count), availableFrames: availableFrames)
    for input in inputs {
      input.take(samples, frames: count, channels: channels, sampleRate: rate)
    }
    place = AudioEngine.CaptureChannel.insert
    for index in 0..<count {
      pcm[index] += samples[place]
      place += channels
    }
    return count
  }

  private func take(_ frames: Int, into samples: inout [Float]) -> Int {
    var room = samples.mutableSpan
    return engine.readCapture(into: &room, frames: frames)
  }

  private func resampleChunk(_ resampler: Resampler) -> Bool {
    var input = chunk.mutableSpan
    let count = read(into: &input)
    guard count > 0 else { return false }
    isResamplerUsed = true
    var consumed = 0
    let captured = chunk
    while consumed < count {
      let rest = captured.span.extracting(consumed..<count)
      var output = converted.mutableSpan
      let step = resampler.process(rest, into: &output)
      consumed += step.consumed
      for index in 0..<step.produced { pending[pendingCount + index] = converted[index] }
      pendingCount += step.produced
      guard step.consumed > 0 || step.produced > 0 else { break }
    }
    return true
  }

  private func takePending() {
    for index in 0..<framesPerPacket { frame[index] = pending[index] }
    for index in framesPerPacket..<pendingCount {
      pending[index - framesPerPacket] = pending[index]
    }
    pendingCount -= framesPerPacket
  }

  private func ratio(from sampleRate: Int) -> Double {
    Double(Self.codecRate) / Double(sampleRate)
  }
}
