internal import CRealtime

/// Whose JACK it is: jackd's own, or PipeWire's in its place.
///
/// The libjack that a program is linked with at its start decides, and with it which servers there are: jackd's library
/// finds no PipeWire, and PipeWire's (`pw-jack`) no jackd.
public struct JackImplementation: Hashable, Sendable {
  /// Who answers behind JACK's calls.
  public enum Kind: String, Sendable {
    case jackd
    case pipeWire = "PipeWire"
  }

  /// Whose it is.
  public var kind: Kind
  /// Its version, as its library tells it; empty: unknown.
  public var version: String

  /// One of that kind, for tests and displays.
  public init(kind: Kind, version: String) {
    self.kind = kind
    self.version = version
  }

  /// From what `jack_get_version_string()` says: "1.9.21", or "3.0.0.0 (using PipeWire 0.3.65)".
  init(libraryVersion: String) {
    let words = libraryVersion.split { " ()".contains($0) }
    if let place = words.firstIndex(of: "PipeWire") {
      let version = words.index(after: place) < words.endIndex ? words[place + 1] : ""
      self.init(kind: .pipeWire, version: String(version))
    } else {
      self.init(kind: .jackd, version: libraryVersion)
    }
  }

  /// The one of this process.
  public static let ofThisProcess: JackImplementation = {
    guard let text = unsafe rt_jack_version() else {
      return JackImplementation(kind: .jackd, version: "")
    }
    return JackImplementation(libraryVersion: unsafe String(cString: text))
  }()
}

extension JackImplementation: CustomStringConvertible {
  /// As logs and the status have it: "PipeWire 0.3.65", "jackd 1.9.21".
  public var description: String {
    version.isEmpty ? kind.rawValue : "\(kind.rawValue) \(version)"
  }
}
