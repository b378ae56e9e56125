internal import Audio
internal import EventLoop
internal import Lines
internal import Media
internal import Mesh
internal import Remote
internal import Store
internal import Voice

/// Every setting of a node, as it holds when the daemon runs.
struct Configuration: Hashable, Sendable {
  /// The node's name, 1…63 bytes.
  var name: String
  /// What it is for, at most 63 bytes.
  var role = ""
  /// The colour to show it in, 24 bits of red, green and blue.
  var colourRGB: UInt32?
  /// Who is there; nil: not said.
  var people: People?
  /// Where it receives.
  var listen = HostAndPort.standard
  /// The nodes it calls; others that call are answered all the same.
  var peers: [HostAndPort] = []
  /// What becomes of nodes that are in none of its groups.
  var policy = AdmissionPolicy.ask
  /// Whether it is announced on the network, and looks for others.
  var discovers = true
  /// The most peers at a time, 1…64.
  var maximumPeers = 64
  /// The kind of place whose settings are the defaults of the following ones.
  var profile = ProfileChoice.none
  /// Audio per packet.
  ///
  /// 10 ms costs half the CPU and a quarter of the packets of 2.5 ms for 8 ms more delay: the best
  /// of both for a Raspberry Pi on Wi-Fi; wired stages choose 2.5 or 5.
  var ptime = PacketTime.ms10
  /// Bit rate of what is sent, kbit/s, 6…510.
  var bitrateKilobits = 64
  /// Most payload to one peer, kbit/s, 6…2000; nil: see `effectiveBitrateMaximumKilobits`.
  var bitrateMaximumKilobits: Int?
  /// What Opus is tuned for.
  var application = Application.auto
  /// How hard Opus tries, 0…10.
  var complexity = OpusEncoder.defaultComplexity
  /// The most of the spectrum that is sent.
  var bandwidth = OpusBandwidth.full
  /// How long received packets wait.
  var playoutDelay = PlayoutDelaySetting.auto
  /// The longest they may wait, milliseconds, 10…1000.
  var playoutDelayMaximumMilliseconds = 120.0
  /// Packets that an automatic delay lets come too late, percent, 0.01…20.
  var lateRatePercent = 0.5
  /// How loud the own microphone is in the own ear, dB; nil: not at all.
  var sidetoneDecibels: Double?
  /// Inputs beside the microphone, and buses beside the main one.
  var patches = PatchSettings()
  /// What is done to the own voice.
  var voice = VoiceSettings()
  /// The JACK server's name.
  var jackServer: String
  /// The JACK client's name, 1…63 bytes.
  var jackClient = "comlink"
  /// Whether microphone and loudspeaker are connected by themselves.
  var connectsPorts = true
  /// Where its figures are told to Prometheus; nil: nowhere.
  var metrics: HostAndPort?
  /// The page for phones.
  var page = PageSettings()
  /// Whether the plugin in jackd plays, instead of a JACK client.
  var isViaPlugin = false
  /// The path of the plugin's socket.
  var pluginPath: String
  /// The path of the control socket.
  var controlPath: String
  /// The directory of what the node keeps; empty: nothing is kept.
  var statePath: String
  /// Days that messages are kept after they were read, 0…3650; 0: until they are read and delivered.
  var messageDays = 30
  /// The same of voice messages.
  var voiceMessageDays = 7
  /// The most that the history of messages takes, MB, 1…10000.
  var messageHistoryMegabytes = 100
  /// The most that messages which are kept for others take, MB, 0…10000.
  var messageKeepMegabytes = 20
  /// Which texts are spoken here.
  var messageAloud = AloudChoice.asked
  /// Where speech becomes text, and text speech.
  var speech = SpeechSettings()
  /// The folder that transcripts of captions are kept in; empty: none are.
  var transcriptPath = ""
  /// Whether the node captions by itself while somebody who reads is on its lines.
  var offersCaptions = false
  /// The assistant.
  var assistant = AssistantSettings()
  /// Where programs upload voice messages to.
  var s3 = S3Settings()
  /// Where voice messages are mirrored to.
  var mirror = MirrorSettings()
  /// Lines that the node is on from its start, and its keys.
  var lines = LineSettings()
  /// How long messages of these are kept.
  var lineMessages: [LineName: LineMessageDays] = [:]
  /// The least that is logged: one of swift-log's level names.
  var logLevel = "info"

  /// The defaults on a machine of that host name, with these environment variables.
  ///
  /// The node is named after the machine; `JACK_DEFAULT_SERVER` names the server as for every JACK
  /// program.
  init(hostName: String, environment: [String: String]) {
    name = Self.nodeName(ofHost: hostName)
    jackServer =
      environment["JACK_DEFAULT_SERVER"].flatMap { $0.isEmpty ? nil : $0 } ?? "default"
    controlPath = ControlPath.forDaemon(environment: environment)
    // Beside it by the same rule in jackd (rt_plugin.h).
    pluginPath = ControlPath.beside(controlPath, name: "plugin.sock")
    statePath = StatePath.standard(environment: environment) ?? ""
  }

  /// Most payload to one peer, kbit/s, once `auto` is decided: room for a copy at a low rate and some resends;
  /// in packets below 10 ms a copy takes more than half of the voice.
  var effectiveBitrateMaximumKilobits: Int {
    let coding = VoiceCoding(
      framesPerPacket: ptime.frames, bitsPerSecond: bitrateKilobits * 1000,
      isSpeech: effectiveApplication == .voip && ptime.frames >= 480)
    return bitrateMaximumKilobits
      ?? max(48, bitrateKilobits * 3 / 2, (coding.repairedBitsPerSecond + 999) / 1000)
  }

  /// What Opus is tuned for once `auto` is decided: `lowdelay` or `voip`.
  var effectiveApplication: Application {
    application.resolved(ptime: ptime, bitrateKilobits: bitrateKilobits)
  }

  /// What a node is called on a machine of that name, unless it is told otherwise.
  static func nodeName(ofHost hostName: String) -> String {
    let label = String(hostName.prefix { $0 != "." })
    return isName(label) ? label : "comlink"
  }

  /// Whether a name will do for a node or a JACK client.
  static func isName(_ text: String) -> Bool {
    (1...63).contains(text.utf8.count) && text.first != " " && text.last != " "
      && text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
  }
}

/// Rules between settings.
extension Configuration {
  /// The most payload that a datagram of 1200 bytes holds beside the headers of RTP, its extension
  /// and the encryption.
  static let payloadByteLimit = 1100

  /// Throws the first setting that does not go with the others.
  func check() throws(SettingConflict) {
    guard peers.count <= maximumPeers else {
      throw SettingConflict(
        .peer, "is given \(peers.count) times, but max-peers is \(maximumPeers); raise max-peers")
    }
    if listen.reach == .loopback, let far = peers.first(where: { $0.reach == .beyond }) {
      throw SettingConflict(
        .peer,
        """
        is \(far.text), which cannot be reached from the loopback address \(listen.text); add --listen \
        [::]:\(listen.port)
        """)
    }
    guard !peers.contains(listen) else {
      throw SettingConflict(.peer, "is \(listen.text), this node's own address; remove it")
    }
    let payloadBytes = Double(bitrateKilobits) * ptime.milliseconds / 8
    guard payloadBytes <= Double(Self.payloadByteLimit) else {
      let most = Int(Double(Self.payloadByteLimit) * 8 / ptime.milliseconds)
      throw SettingConflict(
        .bitrate,
        """
        is \(bitrateKilobits), too much for one packet of \(ptime.text) ms; with that ptime it can be \
        \(most) at most
        """)
    }
    guard effectiveBitrateMaximumKilobits >= bitrateKilobits else {
      throw SettingConflict(
        .bitrateMax, "is less than bitrate, \(bitrateKilobits); lower that too")
    }
    try page.check()
    try speech.check()
    try s3.check()
    try mirror.check()
    if case .fixed(let milliseconds) = playoutDelay, milliseconds > playoutDelayMaximumMilliseconds
    {
      throw SettingConflict(
        .playoutDelay,
        "is more than playout-delay-max; raise that too")
    }
  }
}

extension HostAndPort {
  /// Where nodes receive unless told otherwise: RTP's registered port, on all interfaces, IPv4 too.
  static let standard = HostAndPort(ipv6: "::", port: 5004)
}
