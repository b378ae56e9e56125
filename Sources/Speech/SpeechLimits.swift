/// How much a speech service may send, and how long it may take.
public enum SpeechLimits {
  /// Octets of a header line: services of early versions put all data there.
  public static let lineBytes = 256 * 1024
  /// Octets of the data after a line; a list of hundreds of voices fits.
  public static let dataBytes = 512 * 1024
  /// Octets of a block of sound.
  public static let payloadBytes = 1024 * 1024
  /// Octets of the text of one answer.
  public static let textBytes = 16 * 1024
  /// Octets of the sound of one answer: 5 minutes at 48 kHz, 16 bits, mono.
  public static let soundBytes = 48_000 * 2 * 300
  /// Events that say nothing new in one answer.
  static let idleEvents = 10_000
  /// Programs, models, voices that are taken note of.
  static let offers = 1024
}

/// How long a service is waited for.
public struct SpeechTimes: Hashable, Sendable {
  /// For the connection.
  public var connectNanoseconds: Int64 = 3_000_000_000
  /// For the text after the end of speech, or the next sound of a spoken text.
  public var answerNanoseconds: Int64 = 30_000_000_000

  /// The times that services of this project keep easily.
  public init() {}
}
