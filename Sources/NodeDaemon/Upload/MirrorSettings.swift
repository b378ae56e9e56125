internal import WebService

/// The service that voice messages are mirrored to; none unless the user set one.
struct MirrorSettings: Hashable, Sendable {
  /// A conversation whose voice messages are mirrored.
  struct Source: Hashable, Sendable {
    /// As users name it: `group:NAME`, `line:NAME`, a member.
    var name: String
    /// What the service calls it.
    var remote: String

    /// Reads `NAME` or `NAME=ID`.
    init?(_ text: String) {
      let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      name = String(parts[0])
      remote = String(parts.last ?? parts[0])
      guard (1...128).contains(name.utf8.count), (1...256).contains(remote.utf8.count) else {
        return nil
      }
    }

    var text: String { name == remote ? name : "\(name)=\(remote)" }
  }

  private static let mostSources = 32

  /// What comes before `/conversations`; nil: nothing is mirrored.
  var place: WebPlace?
  /// The file with its bearer token.
  var tokenFile = ""
  /// A file with the certificates that prove it; empty: the system's.
  var authorities = ""
  /// Which conversations.
  var sources: [Source] = []

  /// Takes the value of a setting; throws words if it will not do.
  mutating func set(_ setting: Setting, to value: SettingValue) throws(SettingProblem) {
    switch (setting, value) {
    case (.uploadURL, .text(let text)): place = try Configuration.webPlace(text)
    case (.uploadTokenFile, .text(let text)): tokenFile = try Configuration.filePath(text)
    case (.uploadAuthorities, .text(let text)): authorities = try Configuration.filePath(text)
    case (.uploadFrom, .list(let texts)):
      guard texts.count <= Self.mostSources else {
        throw .badValue("must name at most \(Self.mostSources) conversations")
      }
      sources = []
      for text in texts {
        guard let source = Source(text) else {
          throw .badValue("must be as comlink say takes it, or NAME=ID, not \"\(text)\"")
        }
        sources.append(source)
      }
    default: throw .wrongType(expected: SettingValue.words(for: setting))
    }
  }

  /// The value of a setting, as ``set(_:to:)`` takes it.
  func value(of setting: Setting) -> SettingValue {
    switch setting {
    case .uploadURL: .text(place?.text ?? "")
    case .uploadTokenFile: .text(tokenFile)
    case .uploadAuthorities: .text(authorities)
    default: .list(sources.map(\.text))
    }
  }

  /// Throws where something is missing, or the token would be sent where everybody can read it.
  func check() throws(SettingConflict) {
    guard let place else { return }
    guard !tokenFile.isEmpty else {
      throw SettingConflict(.uploadURL, "needs a token; add upload-token-file")
    }
    guard !sources.isEmpty else {
      throw SettingConflict(.uploadURL, "needs conversations to mirror; add upload-from")
    }
    guard place.isSecure || place.isThisMachine else {
      throw SettingConflict(
        .uploadURL, "would send the token where everybody can read it; use https")
    }
  }

  /// What a setting does, in a line.
  static func summary(of setting: Setting) -> String {
    switch setting {
    case .uploadURL:
      "Service that voice messages are mirrored to, https://box.example.org:8443/api/v1; empty: none."
    case .uploadTokenFile: "File with the bearer token of that service."
    case .uploadAuthorities:
      "File with the certificates that prove that service, PEM or DER; empty: the system's."
    default:
      "Conversation to mirror: a line, a group or a member, or NAME=ID where it is called ID there; repeatable."
    }
  }
}
