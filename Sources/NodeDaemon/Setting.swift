internal import Mesh

/// Every setting of the daemon, by its name as a flag (`--NAME`) and as a TOML key (`NAME =`).
enum Setting: String, CaseIterable, Sendable {
  case name
  case role
  case colour
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
  case jackServer = "jack-server"
  case jackClient = "jack-client"
  case noConnect = "no-connect"
  case viaPlugin = "via-plugin"
  case pluginSocket = "plugin-socket"
  case metrics
  case control
  case state
  case logLevel = "log-level"

  /// What a value of the setting looks like.
  enum Kind: Sendable {
    case text
    case list
    case integer
    case number
    case numberOrAuto
    case boolean
  }

  var kind: Kind {
    switch self {
    case .name, .role, .colour, .listen, .policy, .profile, .application, .bandwidth, .jackServer,
      .jackClient, .pluginSocket, .metrics, .control,
      .state, .logLevel:
      .text
    case .peer: .list
    case .maxPeers, .bitrate, .complexity: .integer
    case .ptime, .playoutDelayMax, .lateRate: .number
    case .playoutDelay, .bitrateMax: .numberOrAuto
    case .noDiscovery, .noConnect, .viaPlugin: .boolean
    }
  }

  /// The placeholder of the value in `--help`.
  var placeholder: String {
    switch self {
    case .name, .jackServer, .jackClient: "NAME"
    case .role: "TEXT"
    case .colour: "RRGGBB"
    case .listen, .peer, .metrics: "ADDR:PORT"
    case .policy: AdmissionPolicy.words
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
    case .control, .pluginSocket: "PATH"
    case .state: "DIR"
    case .logLevel: "LEVEL"
    case .noDiscovery, .noConnect, .viaPlugin: ""
    }
  }

  /// What it does, in a line, for `--help` and `--print-config`.
  var summary: String {
    switch self {
    case .name: "This node's name, as the others see it."
    case .role: "What this node is for, such as stage left; shown to the others."
    case .colour: "The colour to show this node in, as red, green and blue: ff8000."
    case .listen: "Address and port for media (UDP) and control (TCP); IPv6 as [::1]:5004."
    case .peer: "A node to call, by address or name; repeatable. Discovery finds others by itself."
    case .policy: "Nodes in no group of ours: ask the user, refuse, or let everybody in."
    case .noDiscovery: "Neither announces this node to the network nor looks for others."
    case .maxPeers: "The most peers at a time; further ones are turned away."
    case .profile:
      "Other defaults for ptime, bitrate and the like: wired, radio, or saving battery and bits."
    case .ptime: "Audio per packet, ms: shorter is earlier, longer costs less CPU and network."
    case .bitrate: "Bit rate of the voice that is sent, kbit/s, 6…510."
    case .bitrateMax:
      "The most payload to one peer, kbit/s, copies included; auto: half above bitrate, room for a copy."
    case .application: "What Opus is tuned for; auto: lowdelay, voip for long packets at low rates."
    case .complexity: "How hard Opus tries: more costs CPU, and sounds better up to 5."
    case .bandwidth: "The most that Opus sends: wide is 8 kHz, full 20 kHz."
    case .playoutDelay: "How long received packets wait, ms; auto: as short as the jitter allows."
    case .playoutDelayMax: "The longest that received packets may wait, ms, 10…1000."
    case .lateRate:
      "Packets that an automatic playout delay lets come too late, percent, 0.01…20."
    case .jackServer: "The JACK server's name."
    case .jackClient: "This node's name in JACK's list of clients."
    case .noConnect: "Leaves the ports alone instead of connecting microphone and loudspeaker."
    case .metrics:
      "Tells its figures to Prometheus there, by HTTP at /metrics, to whoever asks; empty: nowhere."
    case .viaPlugin: "Lets the plugin comlink.so in jackd play, instead of a JACK client."
    case .pluginSocket: "The socket of that plugin."
    case .control: "The socket that comlink, the remote, talks to."
    case .state: "The directory for this node's identity and its groups; empty: nothing is kept."
    case .logLevel: "The least that is logged: \(LogLevelName.words)."
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
