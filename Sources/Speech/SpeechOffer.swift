/// What a service says that it can do (event `info`).
public struct SpeechOffer: Hashable, Sendable {
  /// A voice that it speaks in, or a word that it wakes by.
  public struct Choice: Hashable, Sendable {
    /// What it is asked for by.
    public var name: String
    /// Languages, as it writes them.
    public var languages: [String]
  }

  /// It recognises speech.
  public var recognises = false
  /// It tells words while somebody speaks.
  public var streamsText = false
  /// It speaks.
  public var speaks = false
  /// Voices that it speaks in.
  public var voices: [Choice] = []
  /// It hears wake words.
  public var wakes = false
  /// Words that it wakes by.
  public var words: [Choice] = []
  /// It takes a text and answers with another.
  public var handles = false

  /// One that offers nothing.
  public init() {}

  init(_ data: [String: JSONValue]) {
    let recognisers = data["asr"]?.elements ?? []
    recognises = !recognisers.isEmpty
    streamsText = recognisers.contains { $0["supports_transcript_streaming"] == .boolean(true) }
    speaks = data["tts"]?.elements.isEmpty == false
    voices = Self.choices(data["tts"], "voices")
    wakes = data["wake"]?.elements.isEmpty == false
    words = Self.choices(data["wake"], "models")
    handles = data["handle"]?.elements.isEmpty == false
  }

  private static func choices(_ programs: JSONValue?, _ list: String) -> [Choice] {
    let choices = (programs?.elements ?? []).flatMap { $0[list]?.elements ?? [] }
    return choices.prefix(SpeechLimits.offers).compactMap { choice in
      // One that is only on offer would have to be fetched first.
      guard let name = choice["name"]?.text, choice["installed"] != .boolean(false) else {
        return nil
      }
      return Choice(name: name, languages: (choice["languages"]?.elements ?? []).compactMap(\.text))
    }
  }
}
