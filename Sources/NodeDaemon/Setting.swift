internal import Mesh
internal import Voice

/// Every setting of the daemon, by its name as a flag (`--NAME`) and as a TOML key (`NAME =`).
enum Setting: String, CaseIterable, Sendable {
  case name
  case role
  case colour
  case people
  case listen
  case peer
  case policy
  case noDiscovery = "no-discovery"
  case maxPeers = "max-peers"
  case profile
  case ptime
  case bitrate
  case bitrateMax = "bitrate-max"
  case application
  case complexity
  case bandwidth
  case playoutDelay = "playout-delay"
  case playoutDelayMax = "playout-delay-max"
  case lateRate = "late-rate"
  case sidetone
  case program
  case input
  case bus
  case jackServer = "jack-server"
  case jackClient = "jack-client"
  case noConnect = "no-connect"
  case viaPlugin = "via-plugin"
  case pluginSocket = "plugin-socket"
  case metrics
  case page
  case pageTrust = "page-trust"
  case pageCertificate = "page-certificate"
  case pageKey = "page-key"
  case control
  case state
  case messageDays = "message-days"
  case voiceMessageDays = "voice-message-days"
  case messageHistory = "message-history"
  case messageKeep = "message-keep"
  case messageAloud = "message-aloud"
  case logLevel = "log-level"
  case voiceHighPass = "voice-high-pass"
  case voiceEcho = "voice-echo"
  case voiceSuppress = "voice-suppress"
  case voiceSuppressMix = "voice-suppress-mix"
  case voiceGain = "voice-gain"
  case voiceTarget = "voice-target"
  case voiceGate = "voice-gate"
  case voiceVox = "voice-vox"
  case voiceEffect = "voice-effect"
  case voiceLimit = "voice-limit"
  case speechASR = "speech-asr"
  case speechTTS = "speech-tts"
  case speechAllow = "speech-allow"
  case speechWake = "speech-wake"
  case speechLanguage = "speech-language"
  case speechSatellite = "speech-satellite"
  case speechSatelliteAllow = "speech-satellite-allow"
  case captionsTranscripts = "captions-transcripts"
  case captionsOffer = "captions-offer"
  case assistantURL = "assistant-url"
  case assistantModel = "assistant-model"
  case assistantKeyFile = "assistant-key-file"
  case assistantName = "assistant-name"
  case assistantColour = "assistant-colour"
  case assistantPrompt = "assistant-prompt"
  case assistantTools = "assistant-tools"
  case assistantDays = "assistant-days"
  case assistantSilence = "assistant-silence"
  case assistantLength = "assistant-length"
  case assistantShared = "assistant-shared"
  case assistantLine = "assistant-line"
  case assistantWords = "assistant-words"
  case s3Endpoint = "s3-endpoint"
  case s3Bucket = "s3-bucket"
  case s3Region = "s3-region"
  case s3KeyFile = "s3-key-file"
  case uploadURL = "upload-url"
  case uploadTokenFile = "upload-token-file"
  case uploadAuthorities = "upload-authorities"
  case uploadFrom = "upload-from"

  /// The tables of a TOML file; a setting of one begins with its name.
  static let tables = ["voice", "speech", "captions", "assistant", "s3", "upload"]

  /// Those that can be chosen on the station, in place of the configuration file's.
  static let chosen: [Setting] = [.name, .profile]

  /// The table of the TOML file that it stands in; nil: none.
  var table: String? { Self.tables.first { rawValue.hasPrefix($0 + "-") } }

  /// Its key there.
  var key: String { table.map { String(rawValue.dropFirst($0.count + 1)) } ?? rawValue }

  /// What it is called in the voice chain; nil: it is none of its settings.
  var voice: VoiceSettings.Name? { table == "voice" ? VoiceSettings.Name(rawValue: key) : nil }

  /// What a value of the setting looks like.
  enum Kind: Sendable {
    case text
    case list
    case integer
    case number
    case numberOrAuto
    case numberOrOff
    /// A text, or a number.
    case word
    case boolean
  }

  var kind: Kind {
    switch self {
    case .name, .role, .colour, .people, .messageAloud, .listen, .policy, .profile, .application,
      .bandwidth, .program,
      .jackServer, .jackClient, .pluginSocket, .metrics, .page, .pageTrust, .pageCertificate,
      .pageKey, .control,
      .state, .logLevel, .assistantURL, .assistantModel, .assistantKeyFile, .assistantName,
      .speechASR, .speechTTS, .speechWake, .speechLanguage, .speechSatellite,
      .captionsTranscripts, .assistantLine,
      .assistantColour, .assistantPrompt, .s3Endpoint, .s3Bucket, .s3Region, .s3KeyFile,
      .uploadURL, .uploadTokenFile, .uploadAuthorities:
      .text
    case .peer, .input, .bus, .speechAllow, .speechSatelliteAllow, .assistantTools,
      .assistantWords, .uploadFrom:
      .list
    case .maxPeers, .bitrate, .complexity, .messageDays, .voiceMessageDays, .messageHistory,
      .messageKeep, .assistantDays, .assistantSilence, .assistantLength:
      .integer
    case .ptime, .playoutDelayMax, .lateRate: .number
    case .playoutDelay, .bitrateMax: .numberOrAuto
    case .sidetone: .numberOrOff
    case .noDiscovery, .noConnect, .viaPlugin, .assistantShared, .captionsOffer: .boolean
    case .voiceHighPass, .voiceEcho, .voiceSuppress, .voiceSuppressMix, .voiceGain, .voiceTarget,
      .voiceGate, .voiceVox, .voiceEffect, .voiceLimit:
      .word
    }
  }

  /// The placeholder of the value in `--help`.
  var placeholder: String {
    switch self {
    case .name, .jackServer, .jackClient, .assistantModel, .assistantName, .assistantLine,
      .s3Bucket, .s3Region:
      "NAME"
    case .assistantWords: "WORD"
    case .speechLanguage: "TAG"
    case .program: "off|mono|stereo|KIND=LINE,…"
    case .input: "NAME|NAME=LINE,…"
    case .bus: "NAME|NAME=PEER,…|NAME=-PEER,…"
    case .role, .assistantPrompt: "TEXT"
    case .colour, .assistantColour: "RRGGBB"
    case .assistantURL, .speechASR, .speechTTS, .speechWake, .s3Endpoint, .uploadURL: "URL"
    case .uploadFrom: "TO|TO=ID"
    case .speechAllow, .speechSatelliteAllow: "HOST"
    case .assistantTools: AssistantTool.words
    case .assistantSilence: "SECONDS"
    case .assistantLength: "MINUTES"
    case .listen, .peer, .metrics, .page, .speechSatellite: "ADDR:PORT"
    case .pageTrust: "ADDR:PORT|auto|off"
    case .pageCertificate, .pageKey, .assistantKeyFile, .s3KeyFile, .uploadTokenFile,
      .uploadAuthorities:
      "FILE"
    case .policy: AdmissionPolicy.words
    case .people: People.words
    case .messageAloud: AloudChoice.words
    case .maxPeers: "1…64"
    case .bitrate: "KBITS"
    case .bitrateMax: "KBITS|auto"
    case .ptime: PacketTime.words
    case .profile: ProfileChoice.words
    case .application: "lowdelay|voip|auto"
    case .complexity: "0…10"
    case .bandwidth: "wide|full"
    case .playoutDelay: "MS|auto"
    case .playoutDelayMax: "MS"
    case .lateRate: "PERCENT"
    case .sidetone: "DB|off"
    case .control, .pluginSocket: "PATH"
    case .state, .captionsTranscripts: "DIR"
    case .messageDays, .voiceMessageDays, .assistantDays: "DAYS"
    case .messageHistory, .messageKeep: "MB"
    case .logLevel: "LEVEL"
    case .noDiscovery, .noConnect, .viaPlugin, .assistantShared, .captionsOffer: ""
    case .voiceHighPass, .voiceEcho, .voiceSuppress, .voiceSuppressMix, .voiceGain, .voiceTarget,
      .voiceGate, .voiceVox, .voiceEffect, .voiceLimit:
      voice?.placeholder ?? ""
    }
  }

  /// What it does, in a line, for `--help` and `--print-config`.
  var summary: String {
    switch self {
    case .name: "Name of this node, as others see it."
    case .role: "What this node is for, such as stage left; others see it."
    case .colour: "Colour that others show this node in, hexadecimal RGB: ff8000."
    case .people: "Who is at this node; others see it, and texts are not spoken to who is deaf."
    case .listen: "Address and port for media (UDP) and control (TCP); IPv6 as [::1]:5004."
    case .peer:
      "A node to call, by address or host name; repeatable. Discovery finds others by itself."
    case .policy: "Nodes outside our groups: ask the user, refuse, or admit."
    case .noDiscovery: "Turns DNS-SD off: neither announces this node nor looks for others."
    case .maxPeers: "Most peers at a time; further ones are refused."
    case .profile: "Set of defaults: for cable, for Wi-Fi, or for battery and thin lines."
    case .ptime: "Audio per packet, ms: shorter has less delay, longer takes less CPU and network."
    case .bitrate: "Target bit rate of Opus, kbit/s, 6…510."
    case .bitrateMax:
      "Most payload to one peer, kbit/s, copies included; auto: half above bitrate, room for a copy."
    case .application: "Opus mode; auto: lowdelay, or voip for long packets at low rates."
    case .complexity: "Effort of the Opus encoder: CPU for quality, up to 5."
    case .bandwidth: "Audio bandwidth of Opus: wide is 8 kHz, full 20 kHz."
    case .playoutDelay: "Playout delay of received packets, ms; auto: as short as jitter allows."
    case .playoutDelayMax: "Upper bound of the playout delay, ms, 10…1000."
    case .lateRate:
      "Share of packets that may arrive too late for the automatic playout delay, percent, 0.01…20."
    case .sidetone: "Level of your own open microphone in your ear, dB, -60…0."
    case .program: "An input for a programme, to all or some lines; in stereo sent as music."
    case .input: "An input of a four-wire line, to all or to some lines; repeatable."
    case .bus: "A mono mix with its own port: of all, of some peers, or without some; repeatable."
    case .jackServer: "Name of the JACK server."
    case .jackClient: "Name of this JACK client."
    case .noConnect: "Leaves the sound card's ports alone instead of connecting to them."
    case .metrics:
      "Serves metrics to Prometheus there, by HTTP at /metrics, without authentication; empty: off."
    case .page: "Serves the page for phones there, by HTTPS; [::]:8443 is usual. Empty: off."
    case .pageTrust:
      "Where phones get the certificate to trust, by HTTP; auto: port 8080 beside the page."
    case .pageCertificate: "Your own certificate for the page, a PEM file; empty: the crew's."
    case .pageKey: "The private key of that certificate, a PEM file."
    case .viaPlugin: "Plays through the plugin comlink.so in jackd instead of a JACK client."
    case .pluginSocket: "Socket of that plugin."
    case .control: "Socket for comlink, the remote."
    case .state: "Directory for identity, groups and mix; empty: none, nothing survives a restart."
    case .messageDays, .voiceMessageDays:
      "Days that \(self == .messageDays ? "" : "voice ")messages are kept once they are read, 0…3650; "
        + "0: until read and delivered."
    case .messageHistory: "Most that the history of messages takes on disk, MB, 1…10000."
    case .messageKeep:
      "Most that messages kept for other nodes take on disk, MB, 0…10000; 0: none are kept."
    case .messageAloud: AloudChoice.summary
    case .logLevel: "Lowest level to log: \(LogLevelName.words)."
    case .voiceHighPass, .voiceEcho, .voiceSuppress, .voiceSuppressMix, .voiceGain, .voiceTarget,
      .voiceGate, .voiceVox, .voiceEffect, .voiceLimit:
      voice?.summary ?? ""
    case _ where table == "speech" || table == "captions": SpeechSettings.summary(of: self)
    case .s3Endpoint, .s3Bucket, .s3Region, .s3KeyFile: S3Settings.summary(of: self)
    case .uploadURL, .uploadTokenFile, .uploadAuthorities, .uploadFrom:
      MirrorSettings.summary(of: self)
    default: AssistantSettings.summary(of: self)
    }
  }
}

/// A setting that does not go with the others.
struct SettingConflict: Error, Hashable, Sendable {
  /// The setting to blame.
  let setting: Setting
  /// What is wrong, as the end of a sentence that begins with the setting.
  let words: String

  init(_ setting: Setting, _ words: String) {
    self.setting = setting
    self.words = words
  }
}

/// What is wrong with the value of one setting, without where it stands.
enum SettingProblem: Error, Hashable, Sendable {
  /// A value of another type was expected.
  case wrongType(expected: String)
  /// The value itself will not do, in words.
  case badValue(String)

  /// The problem in words, as the end of a sentence that begins with the setting.
  var words: String {
    switch self {
    case .wrongType(let expected): "must be \(expected)"
    case .badValue(let words): words
    }
  }
}
