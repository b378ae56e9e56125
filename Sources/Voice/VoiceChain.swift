/// What is done to a voice on its way out: frames in, as many frames out.
///
/// High-pass, echo canceller, noise suppression, gain, gate, VOX, effect, limiter, in this order; the detector of
/// speech listens behind the echo canceller. What is off is not run and delays nothing; with all of it off the sound is
/// not touched. Frames may be of any length. What is not a number is taken for silence.
///
/// Made on any thread, then used by one. Nothing that is called for each frame allocates.
public final class VoiceChain {
  /// Beyond so much, 12 dB above full scale, the microphone is not believed.
  private static let mostAmplitude: Float = 4

  /// What it was made for.
  public let format: VoiceFormat
  /// What is done.
  public private(set) var settings: VoiceSettings
  /// What is not as set, in words; nil: all is.
  public private(set) var problem: String?
  private var slots: [StageSlot]
  private var detector: VoiceDetector?
  private var scratch: [Float]
  /// Frames of the block of 10 ms that came already.
  private var place = 0
  private var isActive = false
  /// What the detector heard up to the block's start: the same for all of it, however it comes in pieces.
  private var isSpeech = false

  /// A chain that does so from the first frame on.
  public convenience init(_ settings: VoiceSettings, format: VoiceFormat) {
    self.init(VoiceChange(from: VoiceSettings(), to: settings, format: format))
  }

  /// One that has all of a change, made from no settings, from the first frame on.
  init(_ change: VoiceChange) {
    format = change.format
    settings = VoiceSettings()
    slots = [StageSlot](
      repeating: StageSlot(sampleRate: format.sampleRate), count: VoiceChange.Place.allCases.count)
    scratch = [Float](repeating: 0, count: format.blockFrames)
    for (place, stage) in change.stages { slots[place.rawValue].start(stage) }
    take(change)
  }

  /// Changes what is done, without a click.
  ///
  /// - Parameter change: made from the present ``settings`` and for this ``format``.
  /// - Returns: false where it was not: nothing is changed.
  public func apply(_ change: VoiceChange) -> Bool {
    guard change.former == settings, change.format == format else { return false }
    for (place, stage) in change.stages {
      if let old = slots[place.rawValue].change(to: stage) { change.keep(old) }
    }
    take(change)
    return true
  }

  private func take(_ change: VoiceChange) {
    (settings, problem) = (change.settings, change.problem)
    if settings.needsDetector {
      if detector == nil { detector = change.detector }
    } else if let detector {
      change.keep(detector)
      self.detector = nil
    }
    isActive = slots.contains { $0.isActive } || detector != nil
  }

  /// How late the sound comes out.
  public var delayFrames: Int { slots.reduce(0) { $0 + $1.delayFrames } }

  /// How late the sound comes out, milliseconds.
  public var delayMilliseconds: Double { 1000 * Double(delayFrames) / Double(format.sampleRate) }

  /// Whether an engine takes blocks, for which frames of any length are not as good as those of the format.
  public var takesBlocks: Bool {
    slots[VoiceChange.Place.echo.rawValue].isActive
      || slots[VoiceChange.Place.suppressor.rawValue].isActive
  }

  /// Whether the detector hears a voice; nil: nothing needs it.
  public var hearsSpeech: Bool? { detector?.isSpeech }

  /// What the automatic gain has come to, dB; nil: it is off.
  public var automaticGainDecibels: Double? {
    (slots[VoiceChange.Place.gain.rawValue].stage as? AutomaticGain)?.gainDecibels
  }

  /// Whether the VOX lets the voice out; nil: it is off.
  public var isTransmitting: Bool? {
    (slots[VoiceChange.Place.vox.rawValue].stage as? VoiceGate)?.isOpen
  }

  /// What it changes the voice into; nil: it leaves it a voice.
  public var effect: VoiceSettings.Effect? {
    slots[VoiceChange.Place.effect.rawValue].stage == nil ? nil : settings.effect
  }

  /// Whether it makes use of what the loudspeakers play.
  public var hearsLoudspeakers: Bool { slots[VoiceChange.Place.echo.rawValue].isActive }

  /// Whether it takes echo out; nil: it does not look for any.
  public var isEchoFound: Bool? { canceller?.isFound }

  /// What takes echo out, by name; nil: nothing does.
  public var echoEngine: String? { canceller?.engineName }

  private var canceller: EchoCanceller? {
    let stage = slots[VoiceChange.Place.echo.rawValue].stage as? BlockStage
    return stage?.engine as? EchoCanceller
  }

  /// Treats frames in place, with nothing that loudspeakers play.
  public func process(_ frames: inout MutableSpan<Float>) {
    let silence: [Float] = []
    process(&frames, left: silence.span, right: silence.span)
  }

  /// Treats frames in place.
  ///
  /// - Parameters:
  ///   - left: what the left loudspeaker plays meanwhile, as many frames; fewer: then silence.
  ///   - right: the right one's.
  public func process(
    _ frames: inout MutableSpan<Float>, left: Span<Float>, right: Span<Float>
  ) {
    guard isActive else { return }
    let played = min(left.count, right.count)
    var start = 0
    while start < frames.count {
      let count = min(frames.count - start, format.blockFrames - place)
      var piece = frames._mutatingExtracting(start..<start + count)
      if place == 0 { isSpeech = detector?.isSpeech ?? false }
      if start + count <= played {
        slots[VoiceChange.Place.echo.rawValue].hear(
          left.extracting(start..<start + count), right.extracting(start..<start + count))
      }
      treat(&piece)
      start += count
      place = (place + count) % format.blockFrames
    }
    // What was turned off is done with once it has faded.
    isActive = slots.contains { $0.isActive } || detector != nil
  }

  private func treat(_ piece: inout MutableSpan<Float>) {
    for index in 0..<piece.count {
      let sample = piece[index]
      // Not a number compares false with everything.
      piece[index] =
        sample.isFinite ? min(Self.mostAmplitude, max(-Self.mostAmplitude, sample)) : 0
    }
    var room = scratch.mutableSpan
    for index in slots.indices {
      if index == VoiceChange.Place.detectorIndex { detector?.observe(piece.span) }
      guard slots[index].isActive else { continue }
      slots[index].process(&piece, isSpeech: isSpeech, scratch: &room)
    }
  }
}

/// The sound that a chain is made for.
public struct VoiceFormat: Sendable, Hashable {
  /// Frames a second.
  public var sampleRate: Int
  /// What the length of all frames is a multiple of, as far as is known: engines of blocks are less late where it fits.
  public var frameFrames: Int

  /// Frames of any length unless it is told.
  public init(sampleRate: Int, frameFrames: Int = 1) {
    (self.sampleRate, self.frameFrames) = (sampleRate, max(1, frameFrames))
  }

  /// Frames of 10 ms, which is a block of the engines that take blocks.
  var blockFrames: Int { max(16, (sampleRate + 50) / 100) }

  /// The greatest common divisor of a block and a frame.
  var grainFrames: Int {
    var (greater, lesser) = (blockFrames, frameFrames)
    while lesser != 0 { (greater, lesser) = (lesser, greater % lesser) }
    return greater
  }
}

/// Other settings for a chain, with the engines that they take: made where there is time, then applied.
public final class VoiceChange {
  /// The places of the chain, in their order.
  enum Place: Int, CaseIterable {
    case highPass, echo, suppressor, gain, gate, vox, effect, limiter

    /// Before which of them the detector listens.
    static let detectorIndex = Place.suppressor.rawValue
  }

  /// What was set before.
  let former: VoiceSettings
  /// What is set then.
  let settings: VoiceSettings
  let format: VoiceFormat
  /// What is not as set, in words.
  public private(set) var problem: String?
  /// What is otherwise than before.
  private(set) var stages: [(place: Place, stage: (any VoiceStage)?)] = []
  private(set) var detector: VoiceDetector?
  /// What is no longer used, to be freed with this.
  private var kept: [AnyObject] = []

  private let rnnoise: RNNoiseLibrary.Installed
  private let deepFilter: DeepFilterLibrary.Installed
  private let soundTouch: SoundTouchLibrary.Installed
  private let aec3: AEC3Library.Installed

  /// Allocates, and may load a library: not for the thread that the chain runs on.
  public convenience init(
    from former: VoiceSettings, to settings: VoiceSettings, format: VoiceFormat
  ) {
    let strongest = settings.suppression == .strongest
    let deepFilter: DeepFilterLibrary.Installed =
      strongest ? DeepFilterLibrary.installed : .failure(.unwanted)
    var takesRNNoise = settings.suppression == .strong
    if strongest, case .failure = deepFilter { takesRNNoise = true }
    self.init(
      from: former, to: settings, format: format,
      rnnoise: takesRNNoise ? RNNoiseLibrary.installed : .failure(.unwanted),
      deepFilter: deepFilter,
      soundTouch: settings.effect.needsSoundTouch
        ? SoundTouchLibrary.installed : .failure(.unwanted),
      aec3: settings.echo == .aec3 ? AEC3Library.installed : .failure(.unwanted))
  }

  init(
    from former: VoiceSettings, to settings: VoiceSettings, format: VoiceFormat,
    rnnoise: RNNoiseLibrary.Installed,
    deepFilter: DeepFilterLibrary.Installed = .failure(.unwanted),
    soundTouch: SoundTouchLibrary.Installed = .failure(.unwanted),
    aec3: AEC3Library.Installed = .failure(.unwanted)
  ) {
    (self.former, self.settings, self.format) = (former, settings, format)
    (self.rnnoise, self.deepFilter) = (rnnoise, deepFilter)
    (self.soundTouch, self.aec3) = (soundTouch, aec3)
    if settings.needsDetector, !former.needsDetector {
      detector = VoiceDetector(sampleRate: format.sampleRate, blockFrames: format.blockFrames)
      if detector == nil {
        tell("the detector of speech does not work at \(format.sampleRate) Hz")
      }
    }
    lookForSuppressors()
    if settings.effect.needsSoundTouch, case .failure(let missing) = soundTouch {
      tell("\(missing.words); until then the voice keeps its pitch")
    }
    if settings.echo == .aec3, case .failure(let missing) = aec3 {
      tell("\(missing.words); until then aec3 is on")
    }
    for place in Place.allCases where settings.part(place) != former.part(place) {
      stages.append((place, makeStage(place)))
    }
    kept.reserveCapacity(Place.allCases.count + 1)
  }

  func keep(_ object: AnyObject) { kept.append(object) }

  private func tell(_ words: String) { problem = problem.map { "\($0). \(words)" } ?? words }

  /// Whether what takes noise out is as wanted, in words.
  private func lookForSuppressors() {
    let wanted = settings.suppression
    guard wanted == .strong || wanted == .strongest else { return }
    if wanted == .strongest {
      guard case .failure(let missing) = deepFilter else { return }
      tell("\(missing.words); until then strongest is strong")
    }
    if case .failure(let missing) = rnnoise {
      tell("\(missing.words); until then strong is up to 25 dB by speexdsp")
    }
  }

  private func makeStage(_ place: Place) -> (any VoiceStage)? {
    let rate = format.sampleRate
    switch place {
    case .highPass: return settings.highPassHertz.map { HighPass(hertz: $0, sampleRate: rate) }
    case .echo: return makeCanceller()
    case .suppressor: return makeSuppressor()
    case .gain:
      switch settings.gain {
      case .off: return nil
      case .fixed(let decibels): return FixedGain(decibels: decibels)
      case .auto:
        return AutomaticGain(targetDBFS: settings.targetDBFS, blockFrames: format.blockFrames)
      }
    case .gate: return gate(.gate, settings.gate)
    case .vox: return gate(.vox, settings.vox)
    case .effect:
      switch settings.effect {
      case .off: return nil
      case .radio: return RadioEffect(sampleRate: rate)
      case .reverb: return ReverbEffect(sampleRate: rate)
      case .pitch(let semitones):
        guard case .success(let library) = soundTouch else { return nil }
        return PitchEffect(
          library, semitones: semitones, blockFrames: format.blockFrames, sampleRate: rate)
      }
    case .limiter:
      return settings.ceilingDBFS.map { Limiter(ceilingDBFS: $0, sampleRate: rate) }
    }
  }

  private func gate(_ shape: VoiceGate.Shape, _ opening: VoiceSettings.Opening) -> VoiceGate? {
    switch opening {
    case .off: nil
    case .voice: VoiceGate(shape, thresholdDBFS: nil, sampleRate: format.sampleRate)
    case .level(let level): VoiceGate(shape, thresholdDBFS: level, sampleRate: format.sampleRate)
    }
  }

  private func makeCanceller() -> (any VoiceStage)? {
    guard settings.echo != .off else { return nil }
    let (block, rate) = (format.blockFrames, format.sampleRate)
    var engine: (any EchoEngine)?
    if settings.echo == .aec3, case .success(let library) = aec3 {
      engine = WebRTCEcho(library, blockFrames: block, sampleRate: rate)
    }
    let canceller = EchoCanceller(
      settings.echo == .auto ? .auto : .on,
      engine ?? LearntEcho(blockFrames: block, sampleRate: rate), blockFrames: block)
    return BlockStage(
      canceller, blockFrames: block, grainFrames: format.grainFrames, share: 1, warmUp: 2 * block)
  }

  private func makeSuppressor() -> (any VoiceStage)? {
    let (block, rate) = (format.blockFrames, format.sampleRate)
    var engine: (any BlockEngine)?
    switch settings.suppression {
    case .off: return nil
    case .light:
      engine = SpeexSuppressor(
        depthDecibels: SpeexSuppressor.Depth.light, blockFrames: block, sampleRate: rate)
    case .strong: engine = makeStrong()
    case .strongest:
      if case .success(let library) = deepFilter {
        engine = ConvertedEngine.at(rate, blockFrames: block, DeepFilterSuppressor(library))
      } else {
        engine = makeStrong()
      }
    }
    guard let engine else {
      tell("noise suppression does not work at \(rate) Hz; it is off")
      return nil
    }
    // Until it has heard some noise.
    return BlockStage(
      engine, blockFrames: block, grainFrames: format.grainFrames,
      share: settings.suppressionShare, warmUp: rate / 10)
  }

  private func makeStrong() -> (any BlockEngine)? {
    let (block, rate) = (format.blockFrames, format.sampleRate)
    guard case .success(let library) = rnnoise else {
      return SpeexSuppressor(
        depthDecibels: SpeexSuppressor.Depth.strong, blockFrames: block, sampleRate: rate)
    }
    return ConvertedEngine.at(rate, blockFrames: block, RNNoiseSuppressor(library))
  }
}

extension VoiceSettings {
  /// What an engine is made of; as long as it stays the same, so does the engine.
  fileprivate func part(_ place: VoiceChange.Place) -> [AnyHashable] {
    switch place {
    case .highPass: [highPassHertz]
    case .echo: [echo]
    case .suppressor: [suppression, suppressionShare]
    case .gain: gain == .auto ? [gain, targetDBFS] : [gain]
    case .gate: [gate]
    case .vox: [vox]
    case .effect: [effect]
    case .limiter: [ceilingDBFS]
    }
  }
}
