internal import ArgumentParser
internal import EventLoop
internal import Remote

/// The daemon's command line.
struct Options: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "comlinkd",
    abstract: "A voice intercom station for JACK.",
    discussion: """
      Without arguments it listens on \(HostAndPort.standard.text) and talks to the nodes of its groups. \
      Each setting is also a TOML key of its flag's name (ptime = 5); flags win over what \
      comlink choose set, that over the file, the file over the profile, the profile over the defaults.
      """,
    version: Version.current)

  @Option(help: Help.of(.name)) var name: String?
  @Option(help: Help.of(.role)) var role: String?
  @Option(help: Help.of(.colour)) var colour: String?
  @Option(help: Help.of(.people)) var people: String?
  @Option(help: Help.of(.listen)) var listen: String?
  @Option(help: Help.of(.peer)) var peer: [String] = []
  @Option(help: Help.of(.maxPeers)) var maxPeers: String?
  @Option(help: Help.of(.policy)) var policy: String?
  @Flag(
    inversion: .prefixedNo,
    help: "Turns DNS-SD on or off: announcing this node and finding others.")
  var discovery: Bool?
  @Option(help: Help.of(.profile)) var profile: String?
  @Option(help: Help.of(.ptime)) var ptime: String?
  @Option(help: Help.of(.bitrate)) var bitrate: String?
  @Option(help: Help.of(.bitrateMax)) var bitrateMax: String?
  @Option(help: Help.of(.application)) var application: String?
  @Option(help: Help.of(.complexity)) var complexity: String?
  @Option(help: Help.of(.bandwidth)) var bandwidth: String?
  @Option(help: Help.of(.playoutDelay)) var playoutDelay: String?
  @Option(help: Help.of(.playoutDelayMax)) var playoutDelayMax: String?
  @Option(help: Help.of(.lateRate)) var lateRate: String?
  @Option(help: Help.of(.sidetone)) var sidetone: String?
  @Option(help: Help.of(.program)) var program: String?
  @Option(help: Help.of(.input)) var input: [String] = []
  @Option(help: Help.of(.bus)) var bus: [String] = []
  @Option(help: Help.of(.jackServer)) var jackServer: String?
  @Option(help: Help.of(.jackClient)) var jackClient: String?
  @Flag(inversion: .prefixedNo, help: "Connects to the sound card, or leaves its ports alone.")
  var connect: Bool?
  @Flag(inversion: .prefixedNo, help: Help.of(.viaPlugin)) var viaPlugin: Bool?
  @Option(help: Help.of(.pluginSocket)) var pluginSocket: String?
  @Option(help: Help.of(.metrics)) var metrics: String?
  @Option(help: Help.of(.page)) var page: String?
  @Option(help: Help.of(.pageTrust)) var pageTrust: String?
  @Option(help: Help.of(.pageCertificate)) var pageCertificate: String?
  @Option(help: Help.of(.pageKey)) var pageKey: String?
  @Option(help: Help.of(.control)) var control: String?
  @Option(help: Help.of(.state)) var state: String?
  @Option(help: Help.of(.messageDays)) var messageDays: String?
  @Option(help: Help.of(.voiceMessageDays)) var voiceMessageDays: String?
  @Option(help: Help.of(.messageHistory)) var messageHistory: String?
  @Option(help: Help.of(.messageKeep)) var messageKeep: String?
  @Option(help: Help.of(.messageAloud)) var messageAloud: String?
  @Option(help: Help.of(.logLevel)) var logLevel: String?
  @OptionGroup(title: "Voice") var voice: VoiceFlags
  @OptionGroup(title: "Speech services") var speech: SpeechFlags
  @OptionGroup(title: "Assistant") var assistant: AssistantFlags
  @OptionGroup(title: "Voice messages elsewhere") var upload: UploadFlags

  @Option(
    help: ArgumentHelp(
      "The TOML file to read, instead of comlink/comlink.toml in $XDG_CONFIG_HOME or /etc.",
      valueName: "FILE"))
  var config: String?
  @Flag(help: "Prints the effective configuration as TOML and exits.")
  var printConfig = false

  /// The settings that were given, their types checked.
  func flags() throws(DaemonError) -> [ConfigurationLoader.Flag] {
    let texts: [(Setting, String?)] = [
      (.name, name), (.role, role), (.colour, colour), (.people, people),
      (.listen, listen), (.policy, policy),
      (.maxPeers, maxPeers), (.profile, profile),
      (.ptime, ptime), (.bitrate, bitrate), (.bitrateMax, bitrateMax),
      (.application, application), (.complexity, complexity), (.bandwidth, bandwidth),
      (.playoutDelay, playoutDelay), (.playoutDelayMax, playoutDelayMax), (.lateRate, lateRate),
      (.sidetone, sidetone), (.program, program),
      (.jackServer, jackServer), (.jackClient, jackClient),
      (.pluginSocket, pluginSocket), (.metrics, metrics), (.page, page), (.pageTrust, pageTrust),
      (.pageCertificate, pageCertificate), (.pageKey, pageKey), (.control, control),
      (.state, state), (.messageDays, messageDays), (.voiceMessageDays, voiceMessageDays),
      (.messageHistory, messageHistory),
      (.messageKeep, messageKeep), (.messageAloud, messageAloud),
      (.logLevel, logLevel),
    ]
    let switches: [(Setting, Bool?)] = [
      (.noDiscovery, discovery.map { !$0 }), (.noConnect, connect.map { !$0 }),
      (.viaPlugin, viaPlugin), (.assistantShared, assistant.assistantShared),
      (.captionsOffer, speech.captionsOffer),
    ]
    let given = texts + voice.texts + speech.texts + assistant.texts + upload.texts
    let lists = [
      (Setting.peer, peer), (.input, input), (.bus, bus),
      (.speechAllow, speech.speechAllow), (.assistantTools, assistant.assistantTools),
      (.speechSatelliteAllow, speech.speechSatelliteAllow),
      (.assistantWords, assistant.assistantWords),
      (.uploadFrom, upload.uploadFrom),
    ]
    var flags: [ConfigurationLoader.Flag] = []
    for (setting, texts) in lists where !texts.isEmpty { flags.append((setting, .list(texts))) }
    for case (let setting, let isOn?) in switches { flags.append((setting, .boolean(isOn))) }
    for case (let setting, let text?) in given {
      do throws(SettingProblem) {
        flags.append((setting, try SettingValue(flag: text, for: setting)))
      } catch {
        throw .setting(setting, origin: .flag(setting), words: "\(error.words), not \"\(text)\"")
      }
    }
    return flags
  }

}

/// The flags of the voice chain.
struct VoiceFlags: ParsableArguments {
  @Option(help: Help.of(.voiceHighPass)) var voiceHighPass: String?
  @Option(help: Help.of(.voiceEcho)) var voiceEcho: String?
  @Option(help: Help.of(.voiceSuppress)) var voiceSuppress: String?
  @Option(help: Help.of(.voiceSuppressMix)) var voiceSuppressMix: String?
  @Option(help: Help.of(.voiceGain)) var voiceGain: String?
  @Option(help: Help.of(.voiceTarget)) var voiceTarget: String?
  @Option(help: Help.of(.voiceGate)) var voiceGate: String?
  @Option(help: Help.of(.voiceVox)) var voiceVox: String?
  @Option(help: Help.of(.voiceEffect)) var voiceEffect: String?
  @Option(help: Help.of(.voiceLimit)) var voiceLimit: String?

  /// What was given.
  var texts: [(Setting, String?)] {
    [
      (.voiceHighPass, voiceHighPass), (.voiceEcho, voiceEcho),
      (.voiceSuppress, voiceSuppress),
      (.voiceSuppressMix, voiceSuppressMix), (.voiceGain, voiceGain), (.voiceTarget, voiceTarget),
      (.voiceGate, voiceGate), (.voiceVox, voiceVox), (.voiceEffect, voiceEffect),
      (.voiceLimit, voiceLimit),
    ]
  }
}

enum Help {
  static func of(_ setting: Setting) -> ArgumentHelp {
    ArgumentHelp("\(setting.summary)", valueName: setting.placeholder)
  }
}
