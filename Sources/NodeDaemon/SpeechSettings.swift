internal import ArgumentParser
internal import EventLoop
internal import Speech
internal import SpeechLink

/// Where speech is turned into text and back, for all that this node does with it: captions, spoken calls.
struct SpeechSettings: Hashable, Sendable {
  /// The Wyoming services; nil: there is none.
  var asr, tts: ServiceAddress?
  /// The Wyoming service that hears wake words; nil: there is none.
  var wake: ServiceAddress?
  /// What people here speak, as `en`; nil: the recogniser finds out.
  var language: String?
  /// Where others get at the station's microphone and ear; nil: nowhere.
  var satellite: HostAndPort?
  /// Other machines that may, by address.
  var satelliteAllow: [String] = []
  /// Other machines that may be spoken to, as their addresses are written.
  var allow: [String] = []

  private static let mostHosts = 16

  /// Takes the value of a setting; throws words if it will not do.
  mutating func set(_ setting: Setting, to value: SettingValue) throws(SettingProblem) {
    switch (setting, value) {
    case (.speechASR, .text(let text)): asr = try Self.service(text)
    case (.speechTTS, .text(let text)): tts = try Self.service(text)
    case (.speechWake, .text(let text)): wake = try Self.service(text)
    case (.speechLanguage, .text(let text)): language = try Self.language(text)
    case (.speechSatellite, .text(let text)): satellite = try Self.place(text)
    case (.speechAllow, .list(let hosts)): allow = try Self.checked(hosts)
    case (.speechSatelliteAllow, .list(let hosts)):
      for host in hosts where Self.address(host) == nil {
        throw .badValue("must be addresses without port, not \"\(host)\"")
      }
      satelliteAllow = try Self.checked(hosts)
    default: throw .wrongType(expected: SettingValue.words(for: setting))
    }
  }

  /// RFC 5646 §2.1: letters first, then parts of letters and digits.
  private static func language(_ text: String) throws(SettingProblem) -> String? {
    guard !text.isEmpty else { return nil }
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    let isTag =
      text.utf8.count <= 35 && (2...3).contains(parts[0].count) && parts[0].allSatisfy(\.isLetter)
      && parts.allSatisfy { part in
        (1...8).contains(part.count)
          && part.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
      }
    guard isTag else { throw .badValue("must be a language such as en or pt-BR, not \"\(text)\"") }
    return text
  }

  private static func place(_ text: String) throws(SettingProblem) -> HostAndPort? {
    guard !text.isEmpty else { return nil }
    let place = try Configuration.place(text)
    guard place.port != 0 else { throw .badValue("must have a port from 1 to 65535: \(text)") }
    return place
  }

  private static func address(_ text: String) -> SocketAddress? {
    try? SocketAddress(parsing: text.contains(":") ? "[\(text)]:1" : "\(text):1")
  }

  private static func checked(_ hosts: [String]) throws(SettingProblem) -> [String] {
    guard hosts.count <= mostHosts else {
      throw .badValue("must name at most \(mostHosts) hosts")
    }
    for host in hosts
    where ServiceAddress("tcp://\(host.contains(":") ? "[\(host)]" : host):1") == nil {
      throw .badValue("must be host names or addresses without port, not \"\(host)\"")
    }
    return hosts
  }

  private static func service(_ text: String) throws(SettingProblem) -> ServiceAddress? {
    guard !text.isEmpty else { return nil }
    guard let address = ServiceAddress(text) else {
      throw .badValue("must be tcp://HOST:PORT or unix:///PATH, not \"\(text)\"")
    }
    return address
  }

  /// The value of a setting, as ``set(_:to:)`` takes it.
  func value(of setting: Setting) -> SettingValue {
    switch setting {
    case .speechASR: .text(asr.map { "\($0)" } ?? "")
    case .speechTTS: .text(tts.map { "\($0)" } ?? "")
    case .speechWake: .text(wake.map { "\($0)" } ?? "")
    case .speechLanguage: .text(language ?? "")
    case .speechSatellite: .text(satellite?.text ?? "")
    case .speechSatelliteAllow: .list(satelliteAllow)
    default: .list(allow)
    }
  }

  /// What the network is told of the satellite; 0: nothing, as only this machine can reach it.
  var announcedSatellitePort: UInt16 {
    guard let satellite, satellite.reach != .loopback else { return 0 }
    return satellite.port
  }

  /// Throws where sound would go to a machine that the user did not list.
  func check() throws(SettingConflict) {
    for (setting, address) in [(Setting.speechASR, asr), (.speechTTS, tts), (.speechWake, wake)] {
      guard let address, !address.isAllowed(beside: allow) else { continue }
      throw SettingConflict(
        setting,
        """
        is another machine, and sound would go there unencrypted; if that is meant, name its host with speech-allow, \
        or use a service on this machine
        """)
    }
  }

  /// What a setting does, in a line.
  static func summary(of setting: Setting) -> String {
    switch setting {
    case .speechASR:
      "Wyoming service that recognises speech, tcp://127.0.0.1:10300; empty: no captions, calls are typed."
    case .speechTTS: "Wyoming service that speaks, tcp://127.0.0.1:10200; empty: none."
    case .speechWake: "Wyoming service that hears wake words; empty: none."
    case .speechLanguage:
      "Language that people here speak, such as en; empty: the recogniser finds out."
    case .speechSatellite:
      "Lets Home Assistant use microphone and ear there (Wyoming); 0.0.0.0:10700 is usual. Empty: off."
    case .speechSatelliteAllow: "Another machine that may, by address; repeatable."
    case .captionsOffer: "Captions by itself while somebody deaf is on a line of this node."
    case .captionsTranscripts: "Folder that transcripts of captions are kept in; empty: none are."
    default: "Another machine that speech services may be on, by host; repeatable."
    }
  }
}

/// The flags of speech services.
struct SpeechFlags: ParsableArguments {
  @Option(help: Help.of(.speechASR)) var speechAsr: String?
  @Option(help: Help.of(.speechTTS)) var speechTts: String?
  @Option(help: Help.of(.speechAllow)) var speechAllow: [String] = []
  @Option(help: Help.of(.speechWake)) var speechWake: String?
  @Option(help: Help.of(.speechLanguage)) var speechLanguage: String?
  @Option(help: Help.of(.speechSatellite)) var speechSatellite: String?
  @Option(help: Help.of(.speechSatelliteAllow)) var speechSatelliteAllow: [String] = []
  @Option(help: Help.of(.captionsTranscripts)) var captionsTranscripts: String?
  @Flag(inversion: .prefixedNo, help: Help.of(.captionsOffer)) var captionsOffer: Bool?

  /// What was given, without the list.
  var texts: [(Setting, String?)] {
    [
      (.speechASR, speechAsr), (.speechTTS, speechTts), (.speechWake, speechWake),
      (.speechLanguage, speechLanguage), (.speechSatellite, speechSatellite),
      (.captionsTranscripts, captionsTranscripts),
    ]
  }
}
