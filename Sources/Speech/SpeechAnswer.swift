/// What a service said so far to one request.
struct SpeechAnswer {
  /// Words that stay, as they were streamed.
  private var streamed = ""
  private var language: String?
  private var confidence: Double?
  /// The whole text was told already.
  private var isTextTold = false
  private var isStreaming = false
  private var format: SoundFormat?
  private var soundBytes = 0
  private var idleEvents = 0

  /// Takes an event.
  ///
  /// - Returns: what it tells, and whether the answer is complete by it.
  mutating func take(
    _ event: WyomingEvent, of request: SpeechRequest
  ) throws(SpeechFault) -> (news: [SpeechNews], isComplete: Bool) {
    if event.type == "error" { throw .refused }
    switch request {
    case .describe:
      if event.type == "info" { return ([.offer(SpeechOffer(event.data))], true) }
    case .recognise: if let told = try takeText(event, "transcript") { return told }
    case .handle:
      if event.type == "not-handled" { throw .refused }
      if let told = try takeText(event, "handled") { return told }
    case .speak: if let told = try takeSound(event) { return told }
    case .wake:
      if event.type == "detection" { return ([.woke(word: event.data["name"]?.text)], false) }
      if event.type == "not-detected" { return ([], true) }
    }
    try noteIdle()
    return ([], false)
  }

  /// What is told where the connection ends before the answer; nil: nothing that would do for one.
  mutating func textAtEnd(of request: SpeechRequest) -> SpeechNews? {
    switch request {
    case .recognise, .handle:
      guard isStreaming, !streamed.isEmpty else { return nil }
      return .text(streamed, language: language, confidence: confidence)
    default: return nil
    }
  }

  /// Text as `NAME`, or in pieces as `NAME-start`, `NAME-chunk`, `NAME-stop`.
  private mutating func takeText(
    _ event: WyomingEvent, _ name: String
  ) throws(SpeechFault) -> ([SpeechNews], Bool)? {
    switch event.type {
    case name:
      let text = try words(event, "text")
      note(event)
      isTextTold = true
      // Where it streams, the end comes after the whole.
      return ([.text(text, language: language, confidence: confidence)], !isStreaming)
    case name + "-start":
      isStreaming = true
      streamed = ""
      note(event)
      return ([], false)
    case name + "-chunk":
      isStreaming = true
      let piece = try words(event, "text")
      let unstable = event.data["unstable"] == nil ? "" : try words(event, "unstable")
      guard streamed.utf8.count + piece.utf8.count <= SpeechLimits.textBytes else {
        throw .oversized
      }
      if piece.isEmpty && unstable.isEmpty { try noteIdle() }
      streamed += piece
      note(event)
      return ([.partial(stable: streamed, unstable: unstable)], false)
    case name + "-stop":
      guard !isTextTold else { return ([], true) }
      return ([.text(streamed, language: language, confidence: confidence)], true)
    default: return nil
    }
  }

  private mutating func takeSound(_ event: WyomingEvent) throws(SpeechFault) -> (
    [SpeechNews], Bool
  )? {
    switch event.type {
    case "audio-start":
      return (try began(event).map { [$0] } ?? [], false)
    case "audio-chunk":
      let begun = try began(event)
      soundBytes += event.payload.count
      guard soundBytes <= SpeechLimits.soundBytes else { throw .oversized }
      guard let format, event.payload.count % (2 * format.channels) == 0 else { throw .malformed }
      if event.payload.isEmpty { try noteIdle() }
      return ((begun.map { [$0] } ?? []) + [.sound(event.payload)], false)
    case "audio-stop": return ([], true)
    default: return nil
    }
  }

  /// The form of the sound, told once, and never another.
  private mutating func began(_ event: WyomingEvent) throws(SpeechFault) -> SpeechNews? {
    guard let said = SoundFormat(event.data) else {
      guard format != nil, event.data["rate"] == nil else { throw .malformed }
      return nil
    }
    guard format != said else { return nil }
    guard format == nil else { throw .unexpected }
    format = said
    return .soundBegins(said)
  }

  private func words(_ event: WyomingEvent, _ name: String) throws(SpeechFault) -> String {
    guard let text = event.data[name]?.text else { throw .malformed }
    guard text.utf8.count <= SpeechLimits.textBytes else { throw .oversized }
    return text
  }

  private mutating func note(_ event: WyomingEvent) {
    if let said = event.data["language"]?.text, said.utf8.count <= 35 { language = said }
    if let said = event.data["confidence"]?.fraction, (0...1).contains(said) { confidence = said }
  }

  private mutating func noteIdle() throws(SpeechFault) {
    idleEvents += 1
    guard idleEvents <= SpeechLimits.idleEvents else { throw .oversized }
  }
}
