public import FoundationEssentials

/// What a remote can ask about voice messages; in JSON the word is that of the command, as `voice-message-record`.
public enum VoiceMessageRequest: Sendable, Hashable {
  /// Records the microphone, whether the talk key is open or not.
  case record
  /// Stands still: the recording, or what plays.
  case pause
  /// Goes on.
  case resume
  /// Forgets what was recorded.
  case cancel
  /// Sends what was recorded, or what was uploaded under a name, to a conversation as
  /// ``ControlRequest/say(to:text:)`` names it; the answer is ``ControlResponse/messages(_:)`` with it.
  case send(to: String, upload: String?)
  /// Adds octets to a file under a name that the remote chose: those at `offset` 0 begin it. A file that is not sent
  /// within some minutes is forgotten.
  case upload(name: String, offset: Int, octets: Data)
  /// Plays a message at the node's ear, and counts it as read.
  ///
  /// - Parameters:
  ///   - at: where it begins, seconds; nil: at its start.
  ///   - speed: within ``speedRange``; nil: as the last one.
  case play(number: Int64, at: Double?, speed: Double?)
  /// Goes on from another place, seconds.
  case seek(to: Double)
  /// Plays on at another speed, within ``speedRange``.
  case speed(Double)
  /// Plays no more.
  case stop
  /// Asks for some of a message's file; the answer is ``ControlResponse/audio(_:)``.
  case audio(number: Int64, offset: Int)

  /// How fast one can be played.
  public static let speedRange = 0.75...2.0
  /// Octets that go with one request, or answer, at most.
  public static let pieceBytes = 30_000
  /// Octets of a file that is sent, at most.
  public static let fileBytes = 10 * 1024 * 1024

  enum Kind: String, CaseIterable {
    case record = "voice-message-record"
    case pause = "voice-message-pause"
    case resume = "voice-message-resume"
    case cancel = "voice-message-cancel"
    case send = "voice-message-send"
    case upload = "voice-message-upload"
    case play = "voice-message-play"
    case seek = "voice-message-seek"
    case speed = "voice-message-speed"
    case stop = "voice-message-stop"
    case audio = "voice-message-audio"
  }

  private enum Key: String, CodingKey {
    case request, to, upload, offset, octets, number, at, speed
  }

  init(_ kind: Kind, from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Key.self)
    func number() throws -> Int64 { try fields.decode(Int64.self, forKey: .number) }
    func offset() throws -> Int { try fields.decode(Int.self, forKey: .offset) }
    switch kind {
    case .record: self = .record
    case .pause: self = .pause
    case .resume: self = .resume
    case .cancel: self = .cancel
    case .stop: self = .stop
    case .send:
      self = .send(
        to: try fields.decode(String.self, forKey: .to),
        upload: try fields.decodeIfPresent(String.self, forKey: .upload))
    case .upload:
      self = .upload(
        name: try fields.decode(String.self, forKey: .upload), offset: try offset(),
        octets: try fields.decode(Data.self, forKey: .octets))
    case .play:
      self = .play(
        number: try number(), at: try fields.decodeIfPresent(Double.self, forKey: .at),
        speed: try fields.contains(.speed) ? Self.speed(fields) : nil)
    case .seek: self = .seek(to: try fields.decode(Double.self, forKey: .at))
    case .speed: self = .speed(try Self.speed(fields))
    case .audio: self = .audio(number: try number(), offset: try offset())
    }
  }

  private static func speed(_ fields: KeyedDecodingContainer<Key>) throws -> Double {
    let speed = try fields.decode(Double.self, forKey: .speed)
    guard speedRange.contains(speed) else {
      throw DecodingError.dataCorruptedError(
        forKey: .speed, in: fields,
        debugDescription:
          "speed must be from \(speedRange.lowerBound) to \(speedRange.upperBound), not \(speed)")
    }
    return speed
  }

  func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: Key.self)
    try fields.encode(kind.rawValue, forKey: .request)
    switch self {
    case .record, .pause, .resume, .cancel, .stop: break
    case .send(let to, let upload):
      try fields.encode(to, forKey: .to)
      try fields.encodeIfPresent(upload, forKey: .upload)
    case .upload(let name, let offset, let octets):
      try fields.encode(name, forKey: .upload)
      try fields.encode(offset, forKey: .offset)
      try fields.encode(octets, forKey: .octets)
    case .play(let number, let place, let speed):
      try fields.encode(number, forKey: .number)
      try fields.encodeIfPresent(place, forKey: .at)
      try fields.encodeIfPresent(speed, forKey: .speed)
    case .seek(let place): try fields.encode(place, forKey: .at)
    case .speed(let speed): try fields.encode(speed, forKey: .speed)
    case .audio(let number, let offset):
      try fields.encode(number, forKey: .number)
      try fields.encode(offset, forKey: .offset)
    }
  }

  private var kind: Kind {
    switch self {
    case .record: .record
    case .pause: .pause
    case .resume: .resume
    case .cancel: .cancel
    case .send: .send
    case .upload: .upload
    case .play: .play
    case .seek: .seek
    case .speed: .speed
    case .stop: .stop
    case .audio: .audio
    }
  }
}

/// Some of a voice message's file, an Ogg Opus file.
public struct AudioPart: Sendable, Hashable, Codable {
  /// Where it stands in the file.
  public var offset: Int
  /// Octets of the whole file.
  public var byteCount: Int
  /// The octets.
  public var octets: Data

  /// A part.
  public init(offset: Int, byteCount: Int, octets: Data) {
    (self.offset, self.byteCount, self.octets) = (offset, byteCount, octets)
  }
}
