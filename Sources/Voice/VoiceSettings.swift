/// What is done to a voice on its way out, and how much; by default nothing.
public struct VoiceSettings: Sendable, Hashable {
  /// How much noise is taken out.
  public enum Suppression: String, Sendable, Hashable, CaseIterable {
    /// None.
    case off
    /// Up to 15 dB: what remains sounds as before.
    case light
    /// As much as there is: RNNoise where it is installed, otherwise up to 25 dB.
    case strong
    /// More, and later: DeepFilterNet where it is installed, otherwise as ``strong``.
    case strongest
  }

  /// Whether the own loudspeakers are taken out of the microphone.
  public enum Echo: String, Sendable, Hashable, CaseIterable {
    /// For headsets: no.
    case off
    /// Once there is echo.
    case auto
    /// Always.
    case on
    /// Always, by WebRTC's canceller where it is installed.
    case aec3
  }

  /// Which gain.
  public enum Gain: Sendable, Hashable {
    /// None.
    case off
    /// Speech is brought to ``VoiceSettings/targetDBFS``; noise alone is never raised.
    case auto
    /// Always so much, dB.
    case fixed(Double)
  }

  /// What opens a gate.
  public enum Opening: Sendable, Hashable {
    /// Nothing shuts it.
    case off
    /// Speech.
    case voice
    /// A level, dBFS, RMS.
    case level(Double)
  }

  /// What a voice is changed into, for the fun of it.
  public enum Effect: Sendable, Hashable {
    /// Nothing.
    case off
    /// A voice over a radio.
    case radio
    /// A voice in a room.
    case reverb
    /// A voice that is so many semitones higher, or lower.
    case pitch(semitones: Double)
  }

  /// The most that comes out.
  public enum Ceiling: Sendable, Hashable {
    /// Whatever comes in.
    case off
    /// ``VoiceSettings/safeCeilingDBFS`` where a gain may raise the voice, otherwise whatever comes in.
    case auto
    /// A peak, dBFS.
    case level(Double)
  }

  /// Below so many hertz is nothing heard; nil: all is.
  public var highPassHertz: Double?
  /// Whether the own loudspeakers are taken out.
  public var echo = Echo.off
  /// How much noise is taken out.
  public var suppression = Suppression.off
  /// How much of what comes out of the suppressor is heard, in parts; the rest is the sound before it.
  public var suppressionShare = 1.0
  /// Which gain.
  public var gain = Gain.off
  /// The active speech level that an automatic gain is for, dBFS.
  public var targetDBFS = -20.0
  /// What opens a gate that lowers by ``gateDepthDecibels`` what is between words.
  public var gate = Opening.off
  /// What opens the way out for a transmission: shut, nothing is sent.
  public var vox = Opening.off
  /// What it is changed into.
  public var effect = Effect.off
  /// The most that comes out.
  public var limiter = Ceiling.auto

  /// The default ceiling under a gain.
  public static let safeCeilingDBFS = -1.0
  /// What a gate leaves of what it does not let pass.
  public static let gateDepthDecibels = -20.0

  /// Leaves the voice as it is.
  public init() {}

  /// For places where bits and quiet are scarce: rumble and some noise is taken out.
  public static let light: VoiceSettings = {
    var settings = VoiceSettings()
    (settings.highPassHertz, settings.suppression) = (80, .light)
    return settings
  }()

  /// The ceiling that holds, dBFS.
  var ceilingDBFS: Double? {
    switch (limiter, gain) {
    case (.level(let level), _): level
    case (.auto, .auto): Self.safeCeilingDBFS
    case (.auto, .fixed(let decibels)) where decibels > 0: Self.safeCeilingDBFS
    case (.auto, _), (.off, _): nil
    }
  }

  /// Whether anything depends on the detector of speech.
  var needsDetector: Bool { gain == .auto || gate == .voice || vox == .voice }
}

/// The settings by name, as users and programs write them.
extension VoiceSettings {
  /// The name of one of them.
  public enum Name: String, Sendable, Hashable, CaseIterable {
    case highPass = "high-pass"
    case echo
    case suppress
    case suppressMix = "suppress-mix"
    case gain
    case target
    case gate
    case vox
    case effect
    case limit

    /// What a value looks like.
    public var placeholder: String {
      switch self {
      case .highPass: "HZ|off"
      case .echo: Echo.allCases.map(\.rawValue).joined(separator: "|")
      case .suppress: Suppression.allCases.map(\.rawValue).joined(separator: "|")
      case .suppressMix: "PERCENT"
      case .gain: "DB|auto|off"
      case .target: "DBFS"
      case .gate, .vox: "DBFS|voice|off"
      case .effect: "radio|reverb|pitch|off"
      case .limit: "DBFS|auto|off"
      }
    }

    /// What it does, in a line.
    public var summary: String {
      switch self {
      case .highPass: "Takes out what is below this, Hz, 20…400: rumble, wind, handling."
      case .echo:
        "Takes your loudspeakers out of the microphone; auto: once it hears them; aec3: by WebRTC's AEC3."
      case .suppress:
        "Takes noise out: light up to 15 dB; strong by RNNoise, strongest by DeepFilterNet, if installed."
      case .suppressMix: "How much of suppress is heard, percent, 0…100; the rest is untreated."
      case .gain:
        "Gain of the microphone, dB, -20…40; auto: brings speech to target, never raises noise alone."
      case .target: "Level to which gain auto brings speech, dBFS, -32…-12."
      case .gate:
        "Lowers by 20 dB what is between words: below this level, dBFS, -80…-10, or what is not voice."
      case .vox:
        "Sends only while you talk: above this level, dBFS, -80…-10, or as long as it hears a voice."
      case .effect:
        "Changes your voice, and tells the others so: radio, reverb, pitch (pitch+4, pitch-4: semitones)."
      case .limit: "The highest peak that is sent, dBFS, -20…0; auto: -1 under a gain."
      }
    }

    /// The numbers that it takes.
    public var range: ClosedRange<Double>? {
      switch self {
      case .highPass: 20...400
      case .echo, .suppress, .effect: nil
      case .suppressMix: 0...100
      case .gain: -20...40
      case .target: -32 ... -12
      case .gate, .vox: -80 ... -10
      case .limit: -20...0
      }
    }
  }

  /// A value that will not do, in words: the end of a sentence that begins with the setting.
  public struct Problem: Error, Sendable, Hashable {
    /// The words.
    public let words: String
  }

  /// Takes a value as it is written.
  public mutating func set(_ name: Name, to text: String) throws(Problem) {
    switch (name, text) {
    case (.highPass, "off"): highPassHertz = nil
    case (.highPass, _): highPassHertz = try Self.number(text, name)
    case (.echo, _): echo = try Self.choice(text, name)
    case (.suppress, _): suppression = try Self.choice(text, name)
    case (.suppressMix, _): suppressionShare = try Self.number(text, name) / 100
    case (.gain, "off"): gain = .off
    case (.gain, "auto"): gain = .auto
    case (.gain, _): gain = .fixed(try Self.number(text, name))
    case (.target, _): targetDBFS = try Self.number(text, name)
    case (.gate, _): gate = try Self.opening(text, name)
    case (.vox, _): vox = try Self.opening(text, name)
    case (.effect, _): effect = try Self.effect(text, name)
    case (.limit, "off"): limiter = .off
    case (.limit, "auto"): limiter = .auto
    case (.limit, _): limiter = .level(try Self.number(text, name))
    }
  }

  /// The value as ``set(_:to:)`` takes it.
  public func text(of name: Name) -> String {
    switch name {
    case .highPass: highPassHertz.map(Self.text) ?? "off"
    case .echo: echo.rawValue
    case .suppress: suppression.rawValue
    case .suppressMix: Self.text(suppressionShare * 100)
    case .gain:
      switch gain {
      case .off: "off"
      case .auto: "auto"
      case .fixed(let decibels): Self.text(decibels)
      }
    case .target: Self.text(targetDBFS)
    case .gate: Self.text(gate)
    case .vox: Self.text(vox)
    case .effect: effect.text
    case .limit:
      switch limiter {
      case .off: "off"
      case .auto: "auto"
      case .level(let level): Self.text(level)
      }
    }
  }

  private static func choice<Choice: RawRepresentable<String>>(
    _ text: String, _ name: Name
  ) throws(Problem) -> Choice {
    guard let choice = Choice(rawValue: text) else {
      throw Problem(words: "must be one of \(name.placeholder), not \"\(text)\"")
    }
    return choice
  }

  private static func opening(_ text: String, _ name: Name) throws(Problem) -> Opening {
    switch text {
    case "off": .off
    case "voice": .voice
    default: .level(try number(text, name))
    }
  }

  private static func effect(_ text: String, _ name: Name) throws(Problem) -> Effect {
    guard let effect = Effect(text: text) else {
      throw Problem(
        words: "must be one of \(name.placeholder) or pitch-12 to pitch+12, not \"\(text)\"")
    }
    return effect
  }

  private static func text(_ opening: Opening) -> String {
    switch opening {
    case .off: "off"
    case .voice: "voice"
    case .level(let level): text(level)
    }
  }

  private static func number(_ text: String, _ name: Name) throws(Problem) -> Double {
    guard let value = Double(text), value.isFinite else {
      let words = name.placeholder.split(separator: "|").dropFirst().map { "\"\($0)\"" }
      let others = words.isEmpty ? "" : " or " + words.joined(separator: " or ")
      throw Problem(words: "must be a number\(others), not \"\(text)\"")
    }
    if let range = name.range, !range.contains(value) {
      let limits = "\(self.text(range.lowerBound)) to \(self.text(range.upperBound))"
      throw Problem(words: "must be from \(limits), not \(self.text(value))")
    }
    return value
  }

  /// A number without the `.0` that nobody wrote.
  fileprivate static func text(_ value: Double) -> String {
    let rounded = (value * 100).rounded() / 100
    return rounded == rounded.rounded() ? "\(Int(rounded))" : "\(rounded)"
  }
}

extension VoiceSettings.Effect {
  /// Of `pitch` alone: a major third.
  public static let usualSemitones = 4.0
  private static let semitones = -12.0...12.0

  /// As it is written; nil: it is none.
  init?(text: String) {
    let plain: [Self] = [.off, .radio, .reverb, .pitch(semitones: Self.usualSemitones)]
    if let effect = plain.first(where: { $0.text == text }) {
      self = effect
      return
    }
    guard text.hasPrefix("pitch"), let given = Double(text.dropFirst(5)),
      Self.semitones.contains(given)
    else { return nil }
    let semitones = (given * 10).rounded() / 10
    guard semitones != 0 else { return nil }
    self = .pitch(semitones: semitones)
  }

  /// Whether it takes SoundTouch.
  var needsSoundTouch: Bool {
    if case .pitch = self { true } else { false }
  }

  /// As ``VoiceSettings/set(_:to:)`` takes it.
  public var text: String {
    switch self {
    case .off: "off"
    case .radio: "radio"
    case .reverb: "reverb"
    case .pitch(Self.usualSemitones): "pitch"
    case .pitch(let semitones):
      "pitch" + (semitones > 0 ? "+" : "") + VoiceSettings.text(semitones)
    }
  }
}
