/// What a satellite is to do for who uses its microphone and its ear.
public enum SatelliteOrder: Hashable, Sendable {
  /// The microphone is wanted from now on.
  case listen
  /// It is not wanted any more.
  case pause
  /// The form of the sound that follows.
  case soundBegins(SoundFormat)
  /// Sound to be heard, in that form.
  case sound([UInt8])
  /// That was all; ``SatelliteSession/played()`` once it has been heard.
  case soundEnds
}

/// A satellite's end of a connection: somebody else's assistant hears by a microphone here and speaks here.
///
/// States: *waiting* (nothing is sent but answers) → *listening* (`run-satellite`: the microphone goes out without a
/// break, and the other side looks for its wake word in it) ⇄ *waiting* (`pause-satellite`) → *over*. Sound comes in
/// either. Events that tell how far the other side is (`detection`, `transcript`, …) change nothing here.
///
/// Octets in, octets and orders out. Never traps on what the other side sends.
public struct SatelliteSession: Sendable {
  private let name: String
  private let version: String
  private var decoder = WyomingDecoder()
  private var outgoing: [UInt8] = []
  private var orders: [SatelliteOrder] = []
  private var format: SoundFormat?
  private var soundBytes = 0
  /// Whether the microphone goes out.
  public private(set) var isListening = false
  /// What ended it; nil: nothing did.
  public private(set) var fault: SpeechFault?

  /// - Parameters:
  ///   - name: what people call the satellite.
  ///   - version: of the software.
  public init(name: String, version: String) { (self.name, self.version) = (name, version) }

  /// What is to be sent.
  public mutating func takeOutgoing() -> [UInt8] {
    defer { outgoing = [] }
    return outgoing
  }

  /// What is to be done, in this order.
  public mutating func takeOrders() -> [SatelliteOrder] {
    defer { orders = [] }
    return orders
  }

  /// Takes what the other side sent; from a ``fault`` on nothing is taken.
  public mutating func receive(_ octets: some Sequence<UInt8>) {
    guard fault == nil else { return }
    decoder.append(octets)
    do throws(SpeechFault) {
      while let event = try decoder.next() { try take(event) }
    } catch {
      (fault, isListening) = (error, false)
    }
  }

  /// Takes the microphone's sound in ``SoundFormat/speech``; what nobody wants is left out.
  public mutating func append(sound pcm: [UInt8]) {
    guard isListening, !pcm.isEmpty else { return }
    send(WyomingEvent("audio-chunk", SoundFormat.speech.data, payload: pcm))
  }

  /// All sound up to the last ``SatelliteOrder/soundEnds`` has been heard.
  public mutating func played() {
    guard fault == nil else { return }
    send(WyomingEvent("played"))
  }

  private mutating func take(_ event: WyomingEvent) throws(SpeechFault) {
    switch event.type {
    case "describe": send(WyomingEvent("info", info))
    case "ping": send(WyomingEvent("pong", ["text": event.data["text"] ?? .null]))
    case "run-satellite": listen()
    case "pause-satellite":
      if isListening { orders.append(.pause) }
      isListening = false
    case "audio-start":
      guard let said = SoundFormat(event.data) else { throw .malformed }
      begin(said)
    case "audio-chunk": try takeSound(event)
    case "audio-stop":
      if format != nil { orders.append(.soundEnds) }
      format = nil
    default: break
    }
  }

  private mutating func listen() {
    guard !isListening else { return }
    isListening = true
    orders.append(.listen)
    // The other side hears all, finds its wake word, answers, and begins again.
    send(
      WyomingEvent(
        "run-pipeline",
        [
          "start_stage": .string("wake"), "end_stage": .string("tts"),
          "restart_on_end": .boolean(true),
        ]))
  }

  private mutating func begin(_ format: SoundFormat) {
    (self.format, soundBytes) = (format, 0)
    orders.append(.soundBegins(format))
  }

  private mutating func takeSound(_ event: WyomingEvent) throws(SpeechFault) {
    if format == nil, let said = SoundFormat(event.data) { begin(said) }
    guard let format, event.payload.count % (2 * format.channels) == 0 else { throw .malformed }
    soundBytes += event.payload.count
    guard soundBytes <= SpeechLimits.soundBytes else { throw .oversized }
    if !event.payload.isEmpty { orders.append(.sound(event.payload)) }
  }

  private mutating func send(_ event: WyomingEvent) { outgoing += event.octets }

  private var info: [String: JSONValue] {
    let satellite: [String: JSONValue] = [
      "name": .string(name), "description": .string("Comlink intercom station"),
      "attribution": .object(["name": .string("Comlink"), "url": .string("")]),
      "installed": .boolean(true), "version": .string(version), "has_vad": .boolean(false),
      "active_wake_words": .array([]), "max_active_wake_words": .integer(0),
      "supports_trigger": .boolean(false),
    ]
    var info: [String: JSONValue] = ["satellite": .object(satellite)]
    for list in ["asr", "tts", "handle", "intent", "wake", "mic", "snd"] {
      info[list] = .array([])
    }
    return info
  }
}
