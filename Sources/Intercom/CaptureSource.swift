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
  private var gate = TalkGate()
  /// Captured frames, at JACK's rate, from before the talk key went up: the gate is still open for them.
  private var openFrames = 0
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

  /// Captured frames at `sampleRate` that make a codec frame: fewer are not worth a wake-up.
  func neededFrames(sampleRate: Int) -> Int {
    (framesPerPacket * sampleRate + Self.codecRate - 1) / Self.codecRate
  }

  /// Fills ``frame`` with the next codec frame; false when not enough was captured yet.
  func fillFrame() -> Bool {
    guard let resampler else {
      guard engine.captureAvailableFrames >= framesPerPacket else { return false }
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
    (pendingCount, openFrames) = (0, 0)
    if isResamplerUsed { resampler?.reset() }
    isResamplerUsed = false
  }

  /// Codec frames that hold something that was captured by now and not filled in yet.
  var waitingPackets: Int {
    let frames = pendingCount + engine.captureAvailableFrames * Self.codecRate / rate
    return (frames + framesPerPacket - 1) / framesPerPacket
  }

  /// The talk key goes up: what was captured before passes yet, as late as the voice chain makes it.
  func close() { openFrames = engine.captureAvailableFrames + voice.delayFrames }

  /// Takes the oldest captured frames: the microphone by way of the voice chain and past the talk key, which recorders
  /// may have, and what is sent in its place.
  private func read(into pcm: inout MutableSpan<Float>) -> Int {
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
    let passing = min(openFrames, count)
    openFrames -= passing
    if passing > 0 { apply(isOpen: gate.isOpen || microphone.isOpen, to: &pcm, 0..<passing) }
    apply(isOpen: microphone.isOpen, to: &pcm, passing..<count)
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

  private func apply(isOpen: Bool, to pcm: inout MutableSpan<Float>, _ range: Range<Int>) {
    gate.isOpen = isOpen
    var heard = pcm._mutatingExtracting(range)
    gate.apply(to: &heard, sampleRate: rate)
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
