internal import ArgumentParser
internal import Speech
internal import SpeechLink

/// Where speech is turned into text and back, for all that this node does with it: captions, spoken calls.
struct SpeechSettings: Hashable, Sendable {
  /// The Wyoming services; nil: there is none.
  var asr, tts: ServiceAddress?
  /// Other machines that may be spoken to, as their addresses are written.
  var allow: [String] = []

  private static let mostHosts = 16

  /// Takes the value of a setting; throws words if it will not do.
  mutating func set(_ setting: Setting, to value: SettingValue) throws(SettingProblem) {
    switch (setting, value) {
    case (.speechASR, .text(let text)): asr = try Self.service(text)
    case (.speechTTS, .text(let text)): tts = try Self.service(text)
    case (.speechAllow, .list(let hosts)):
      guard hosts.count <= Self.mostHosts else {
        throw .badValue("must name at most \(Self.mostHosts) hosts")
      }
      for host in hosts where ServiceAddress("tcp://\(host):1") == nil {
        throw .badValue("must be host names or addresses without port, not \"\(host)\"")
      }
      allow = hosts
    default: throw .wrongType(expected: SettingValue.words(for: setting))
    }
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
    default: .list(allow)
    }
  }

  /// Throws where sound would go to a machine that the user did not list.
  func check() throws(SettingConflict) {
    for (setting, address) in [(Setting.speechASR, asr), (.speechTTS, tts)] {
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
  @Option(help: Help.of(.captionsTranscripts)) var captionsTranscripts: String?
  @Flag(inversion: .prefixedNo, help: Help.of(.captionsOffer)) var captionsOffer: Bool?

  /// What was given, without the list.
  var texts: [(Setting, String?)] {
    [
      (.speechASR, speechAsr), (.speechTTS, speechTts),
      (.captionsTranscripts, captionsTranscripts),
    ]
  }
}
