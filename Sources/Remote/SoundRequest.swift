internal import StatusSchema

/// What a remote can ask about the own microphone, to hear what it is like.
public enum SoundRequest: Sendable, Hashable {
  /// Finds out what the microphone is like while the user speaks for so long; the answer is
  /// ``ControlResponse/voiceTest(_:)``.
  case test(seconds: Double)
  /// Lets the user hear the own microphone as it is treated, for so long.
  case monitor(seconds: Double)

  /// How long speech may take in a test.
  public static let testRangeSeconds = 2.0...20.0
  /// How long a user may hear the own microphone.
  public static let monitorRangeSeconds = 1.0...600.0

  enum Kind: String, CaseIterable {
    case test = "test-voice"
    case monitor = "voice-monitor"
  }

  private enum Key: String, CodingKey { case request, seconds }

  init(_ kind: Kind, from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Key.self)
    let seconds = try fields.decode(Double.self, forKey: .seconds)
    let range = kind == .test ? Self.testRangeSeconds : Self.monitorRangeSeconds
    guard range.contains(seconds) else {
      throw DecodingError.dataCorruptedError(
        forKey: .seconds, in: fields,
        debugDescription:
          "seconds must be from \(range.lowerBound) to \(range.upperBound), not \(seconds)")
    }
    self = kind == .test ? .test(seconds: seconds) : .monitor(seconds: seconds)
  }

  func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: Key.self)
    switch self {
    case .test(let seconds):
      try fields.encode(Kind.test.rawValue, forKey: .request)
      try fields.encode(seconds, forKey: .seconds)
    case .monitor(let seconds):
      try fields.encode(Kind.monitor.rawValue, forKey: .request)
      try fields.encode(seconds, forKey: .seconds)
    }
  }
}
