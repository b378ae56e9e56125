internal import ArgumentParser
internal import Foundation
internal import Remote
internal import StatusSchema
internal import Voice

/// `comlink voice`: what is done to the own voice before it is sent.
struct VoiceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "voice", abstract: "Shows or changes what is done to your voice.",
    subcommands: [
      VoiceSetCommand.self, VoiceProcessCommand.self, VoiceEffectCommand.self,
      VoiceMonitorCommand.self,
    ],
    defaultSubcommand: VoiceSetCommand.self)
}

/// `comlink voice [--suppress strong …]`: shows the voice chain, or changes it while somebody talks.
struct VoiceSetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set", abstract: "Changes what is done to your voice, or shows it.",
    discussion: """
      Without settings it shows them. Changes are heard at once, without a click. A restart goes back to [voice] \
      in comlink.toml.
      """)

  @OptionGroup var settings: VoiceOptions
  @OptionGroup var remote: RemoteOptions

  func run() throws {
    let changes = settings.changes
    guard changes.isEmpty else { return try remote.ask(.voice(changes: changes)) }
    var client = try remote.connect()
    guard case .status(let status) = try RemoteOptions.answer(of: &client, to: .status),
      let voice = status.node.voice
    else { throw RemoteFailure.unexpectedAnswer }
    _ = StandardOutput.write(Self.text(of: voice))
  }

  private static func text(of voice: VoiceStatus) -> String {
    var lines = VoiceSettings.Name.allCases.map { name in
      let value = voice.settings[name.rawValue] ?? "-"
      return "\(name.rawValue.padding(toLength: 14, withPad: " ", startingAt: 0))\(value)"
    }
    lines += ["delay         \(Self.short(voice.delayMilliseconds)) ms"]
    if let isFound = voice.isEchoFound {
      let engine = voice.echoEngine ?? "own"
      let words = engine == "own" ? "Comlink's own canceller" : engine
      lines += ["echo          \(isFound ? "found" : "none"), by \(words)"]
    }
    if let gain = voice.gainDecibels { lines += ["gain now      \(Self.short(gain)) dB"] }
    if let hears = voice.hearsSpeech { lines += ["voice heard   \(hears ? "yes" : "no")"] }
    if let isOpen = voice.isTransmitting { lines += ["vox now       \(isOpen ? "open" : "shut")"] }
    if voice.isTalkingMuted == true { lines += ["muted         you speak, no talk key is open"] }
    if let problem = voice.problem { lines += ["problem       \(problem)"] }
    return lines.map { PlainText.cleaned($0) + "\n" }.joined()
  }

  private static func short(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }
}

/// `comlink voice effect radio`: what the own voice is changed into.
struct VoiceEffectCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "effect", abstract: "Changes your voice, and tells the others so.")

  @Argument(
    help: """
      radio: as over one; reverb: as in a big room; pitch: higher, pitch-4: by 4 semitones lower; off: your voice as it is.
      """)
  var effect: String
  @OptionGroup var remote: RemoteOptions

  func run() throws {
    try remote.ask(.voice(changes: [VoiceSettings.Name.effect.rawValue: effect]))
  }
}

/// `comlink voice process IN.wav OUT.wav`: the same chain over a file, without a daemon.
struct VoiceProcessCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "process", abstract: "Treats a WAV file as a voice would be treated.",
    discussion: """
      The output is as long as the input, with the chain's delay taken out; of several channels it takes the mean. \
      What is not set is off. It needs no comlinkd.
      """)

  @Argument(help: "The WAV file to read.") var input: String
  @Argument(help: "The WAV file to write.") var output: String
  @Option(help: "A WAV file of what the loudspeakers play meanwhile, for --echo.")
  var reference: String?
  @OptionGroup var options: VoiceOptions

  private func settings() throws -> VoiceSettings {
    var settings = VoiceSettings()
    for (name, text) in options.texts {
      do throws(VoiceSettings.Problem) {
        try settings.set(name, to: text)
      } catch {
        throw ValidationError("--\(name.rawValue) \(error.words)")
      }
    }
    return settings
  }

  func validate() throws { _ = try settings() }

  func run() throws {
    let sound = try read(input)
    let (left, right) = try played(sound.sampleRate)
    let (treated, problem) = sound.treated(try settings(), left: left, right: right)
    if let problem { PlainText.note(problem) }
    do {
      try Data(treated.wave()).write(to: URL(filePath: output))
    } catch {
      throw RemoteFailure.file(output, "cannot be written: \(error.localizedDescription)")
    }
  }

  /// Both channels of the reference.
  private func played(_ sampleRate: Int) throws(RemoteFailure) -> (left: [Float], right: [Float]) {
    guard let reference else { return ([], []) }
    let (left, right) = (try read(reference, channel: 0), try read(reference, channel: 1))
    guard left.sampleRate == sampleRate else {
      throw .file(
        reference,
        "has \(left.sampleRate) Hz, and \(input) has \(sampleRate); convert it: "
          + "ffmpeg -i \(reference) -ar \(sampleRate) OUT.wav")
    }
    return (left.samples, right.samples)
  }

  private func read(_ path: String, channel: Int? = nil) throws(RemoteFailure) -> WaveSound {
    let bytes: Data
    do {
      bytes = try Data(contentsOf: URL(filePath: path))
    } catch {
      throw .file(path, "cannot be read: \(error.localizedDescription)")
    }
    do throws(WaveSound.Problem) {
      return try WaveSound(wave: Array(bytes), channel: channel)
    } catch {
      throw .file(path, "\(error)")
    }
  }
}

/// The settings of the voice chain; those that are given.
struct VoiceOptions: ParsableArguments {
  @Option(help: Self.help(.highPass)) var highPass: String?
  @Option(help: Self.help(.echo)) var echo: String?
  @Option(help: Self.help(.suppress)) var suppress: String?
  @Option(help: Self.help(.suppressMix)) var suppressMix: String?
  @Option(help: Self.help(.gain)) var gain: String?
  @Option(help: Self.help(.target)) var target: String?
  @Option(help: Self.help(.gate)) var gate: String?
  @Option(help: Self.help(.vox)) var vox: String?
  @Option(help: Self.help(.effect)) var effect: String?
  @Option(help: Self.help(.limit)) var limit: String?

  /// By name, as they were written.
  var texts: [(name: VoiceSettings.Name, text: String)] {
    let given: [(VoiceSettings.Name, String?)] = [
      (.highPass, highPass), (.echo, echo), (.suppress, suppress), (.suppressMix, suppressMix),
      (.gain, gain),
      (.target, target), (.gate, gate), (.vox, vox), (.effect, effect), (.limit, limit),
    ]
    return given.compactMap { name, text in text.map { (name, NegativeNumber.plain($0)) } }
  }

  /// What a node is asked for.
  var changes: [String: String] {
    Dictionary(uniqueKeysWithValues: texts.map { ($0.name.rawValue, $0.text) })
  }

  private static func help(_ name: VoiceSettings.Name) -> ArgumentHelp {
    ArgumentHelp("\(name.summary)", valueName: name.placeholder)
  }
}
