/// An event of the Wyoming protocol: a line of JSON, then data in JSON and octets of sound, as long as the line says.
///
/// Source: the protocol's description in the `wyoming` package, version 1.
public struct WyomingEvent: Hashable, Sendable {
  /// What it is, such as `audio-chunk`.
  public var type: String
  /// What it says, by name.
  public var data: [String: JSONValue]
  /// Sound, or empty.
  public var payload: [UInt8]

  /// Makes an event.
  public init(_ type: String, _ data: [String: JSONValue] = [:], payload: [UInt8] = []) {
    (self.type, self.data, self.payload) = (type, data, payload)
  }

  /// The event on the wire.
  ///
  /// All data is in the line, which services of every version understand.
  public var octets: [UInt8] {
    var header: [String: JSONValue] = ["type": .string(type)]
    if !data.isEmpty { header["data"] = .object(data) }
    if !payload.isEmpty { header["payload_length"] = .integer(Int64(payload.count)) }
    return JSONValue.object(header).octets + [UInt8(ascii: "\n")] + payload
  }
}

/// The form of sound that goes to and comes from services.
public struct SoundFormat: Hashable, Sendable {
  /// Rates that are taken.
  static let rates = 8000...48_000

  /// Samples a second.
  public var rate: Int
  /// Interleaved channels, 1 or 2.
  public var channels: Int

  /// What speech recognisers take: 16 kHz, mono; samples have 16 bits, the lowest octet first.
  public static let speech = SoundFormat(rate: 16_000, channels: 1)

  /// Makes a form.
  public init(rate: Int, channels: Int) { (self.rate, self.channels) = (rate, channels) }

  /// That of an event; nil: it says none, or one that is not taken.
  init?(_ data: [String: JSONValue]) {
    guard let rate = data["rate"]?.count, Self.rates.contains(rate), data["width"]?.count == 2,
      let channels = data["channels"]?.count, (1...2).contains(channels)
    else { return nil }
    (self.rate, self.channels) = (rate, channels)
  }

  /// As events say it.
  var data: [String: JSONValue] {
    ["rate": .integer(Int64(rate)), "width": .integer(2), "channels": .integer(Int64(channels))]
  }
}
