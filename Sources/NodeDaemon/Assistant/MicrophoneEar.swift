internal import Assistant
internal import Audio
internal import Voice

/// What the microphone has, for a recogniser: 16 kHz, 16 bits, and whether somebody says something.
///
/// Not thread-safe.
final class MicrophoneEar {
  static let recogniserRate = 16_000
  /// What is given of the time before a voice was noticed, seconds: its first sound is in it.
  private static let prerollSeconds = 0.4

  private let detector: VoiceDetector
  private let resampler: Resampler?
  private var endpointer = Endpointer()
  private var block: [Float]
  private var converted: [Float]
  private var recent: [UInt8] = []

  /// nil: out of memory, or a rate that cannot be converted.
  init?(sampleRate: Int) {
    let frames = sampleRate / 100
    guard frames > 0, let detector = VoiceDetector(sampleRate: sampleRate, blockFrames: frames)
    else { return nil }
    self.detector = detector
    resampler =
      sampleRate == Self.recogniserRate
      ? nil : try? Resampler(ratio: Double(Self.recogniserRate) / Double(sampleRate))
    guard sampleRate == Self.recogniserRate || resampler != nil else { return nil }
    block = [Float](repeating: 0, count: frames)
    converted = [Float](repeating: 0, count: 2 * Self.recogniserRate / 100 + 64)
  }

  /// What was heard last, to begin with once somebody says something.
  var preroll: [UInt8] { recent }

  /// Takes the next 10 ms, if they are there.
  ///
  /// - Returns: their samples, and whether somebody begins (true) or ends (false) to say something.
  func take(from queue: SoundQueue) -> (pcm: [UInt8], voice: Bool?)? {
    guard queue.availableFrames >= block.count else { return nil }
    var span = block.mutableSpan
    guard queue.read(into: &span) == block.count else { return nil }
    return hear()
  }

  /// Takes the next 10 ms; others than those are left out.
  func take(_ frames: Span<Float>) -> (pcm: [UInt8], voice: Bool?)? {
    guard frames.count == block.count else { return nil }
    for index in block.indices { block[index] = frames[index] }
    return hear()
  }

  /// Whether somebody says something.
  var isSpeaking: Bool { endpointer.isSpeaking }

  private func hear() -> (pcm: [UInt8], voice: Bool?) {
    detector.observe(block.span)
    let pcm = samples()
    recent += pcm
    let most = Int(Self.prerollSeconds * Double(Self.recogniserRate)) * 2
    if recent.count > most { recent.removeFirst(recent.count - most) }
    let isChange = endpointer.take(detector.isSpeech, milliseconds: 10)
    return (pcm, isChange ? endpointer.isSpeaking : nil)
  }

  private func samples() -> [UInt8] {
    let block = block
    guard let resampler else { return Self.octets(block, block.count) }
    var pcm: [UInt8] = []
    var done = 0
    while done < block.count {
      var room = converted.mutableSpan
      let step = resampler.process(block.span.extracting(done...), into: &room)
      pcm += Self.octets(converted, step.produced)
      done += step.consumed
      guard step.consumed > 0 || step.produced > 0 else { break }
    }
    return pcm
  }

  private static func octets(_ frames: [Float], _ count: Int) -> [UInt8] {
    var octets: [UInt8] = []
    octets.reserveCapacity(2 * count)
    for index in 0..<count {
      let clean = frames[index].isFinite ? frames[index] : 0
      let sample = UInt16(bitPattern: Int16(max(-1, min(1, clean)) * 32_767))
      octets += [UInt8(truncatingIfNeeded: sample), UInt8(sample >> 8)]
    }
    return octets
  }
}

/// Sound of a speech service on its way to an ear: 16 bits at its rate in, frames at JACK's rate out.
///
/// Not thread-safe.
final class SpeechMouth {
  private let channels: Int
  private let resampler: Resampler?
  private var rest: [UInt8] = []
  private var converted = [Float](repeating: 0, count: 4096)

  /// nil: out of memory, or a rate that cannot be converted.
  init?(rate: Int, channels: Int, sampleRate: Int) {
    self.channels = channels
    resampler =
      rate == sampleRate ? nil : try? Resampler(ratio: Double(sampleRate) / Double(rate))
    guard rate == sampleRate || resampler != nil else { return nil }
  }

  /// Takes samples, the lowest octet first, cut anywhere.
  func frames(of octets: [UInt8]) -> [Float] {
    rest += octets
    let size = 2 * channels
    let count = rest.count / size
    let frames = (0..<count).map { frame -> Float in
      let place = frame * size
      let sample = Int16(bitPattern: UInt16(rest[place]) | UInt16(rest[place + 1]) << 8)
      return Float(sample) / 32_768
    }
    rest.removeFirst(count * size)
    guard let resampler else { return frames }
    var result: [Float] = []
    var done = 0
    var isFull = false
    // What had no room is still inside, though all was taken in.
    while done < frames.count || isFull {
      var room = converted.mutableSpan
      let step = resampler.process(frames.span.extracting(done...), into: &room)
      for index in 0..<step.produced { result.append(converted[index]) }
      done += step.consumed
      isFull = step.produced == converted.count
      guard step.consumed > 0 || step.produced > 0 else { break }
    }
    return result
  }
}
