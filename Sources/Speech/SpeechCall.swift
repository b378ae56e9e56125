/// What a service is asked for.
public enum SpeechRequest: Hashable, Sendable {
  /// What it can do.
  case describe
  /// The text of speech that follows, until ``SpeechCall/finishSound()``.
  ///
  /// What was said just before may help a service that knows of it (`before` of the event's context) to understand.
  case recognise(language: String?, before: String? = nil)
  /// The sound of a text.
  case speak(text: String, voice: String?)
  /// Waking by one of these words, or any that it knows; sound follows until the call is ended.
  case wake(words: [String])
  /// An answer to a text.
  case handle(text: String, language: String?)

  /// The same of what people say in a language, unless it names one.
  public func spoken(in language: String?) -> SpeechRequest {
    guard case .recognise(nil, let before) = self else { return self }
    return .recognise(language: language, before: before)
  }
}

/// What comes of a ``SpeechCall``.
public enum SpeechNews: Hashable, Sendable {
  /// What the service can do.
  case offer(SpeechOffer)
  /// All words so far: those that stay, and those that may still change.
  case partial(stable: String, unstable: String)
  /// The text, once complete.
  ///
  /// The confidence is 0…1 where the service tells it.
  case text(String, language: String?, confidence: Double?)
  /// The form of the sound that follows.
  case soundBegins(SoundFormat)
  /// Sound, in that form.
  case sound([UInt8])
  /// A wake word was heard.
  case woke(word: String?)
  /// Everything was said; the connection can be closed.
  case done
  /// It went wrong; nothing more comes.
  case failed(SpeechFault)
}

/// One request to a service over a connection of its own, and its answer.
///
/// States: *connecting* (from ``init(_:times:nowNanoseconds:)``, at most ``SpeechTimes/connectNanoseconds``) → *asking*
/// (from ``connected(nowNanoseconds:)``; speech is still sent, no answer is due) → *answering* (the whole question was
/// sent; each event renews ``SpeechTimes/answerNanoseconds``) → *over*. Services that stream text and such that tell it
/// all at once are both understood: `transcript-start`, `-chunk`, `-stop` with or without a `transcript` among them.
///
/// Octets, events and times in; octets and news out. Never traps on what a service sends.
public struct SpeechCall: Sendable {
  /// 3 s.
  private static let earlyBytes = 96_000

  private enum State { case connecting, asking, answering, over }

  private let request: SpeechRequest
  private let times: SpeechTimes
  private var state = State.connecting
  private var deadline: Int64
  private var decoder = WyomingDecoder()
  private var outgoing: [UInt8] = []
  private var news: [SpeechNews] = []
  private var answer = SpeechAnswer()
  /// Speech that came before the connection.
  private var early: [UInt8] = []
  private var isFinishedEarly = false

  /// Begins to connect.
  public init(
    _ request: SpeechRequest, times: SpeechTimes = SpeechTimes(), nowNanoseconds now: Int64
  ) {
    self.request = request
    self.times = times
    deadline = now + times.connectNanoseconds
  }

  /// Whether nothing more comes of it.
  public var isOver: Bool { state == .over }

  /// When it is to be asked again (``tick(nowNanoseconds:)``); `Int64.max`: never.
  public var deadlineNanoseconds: Int64 { deadline }

  /// What is to be sent.
  public mutating func takeOutgoing() -> [UInt8] {
    defer { outgoing = [] }
    return outgoing
  }

  /// What came of it.
  public mutating func takeNews() -> [SpeechNews] {
    defer { news = [] }
    return news
  }

  // MARK: What happens

  /// The connection is there.
  public mutating func connected(nowNanoseconds now: Int64) {
    guard state == .connecting else { return }
    state = .asking
    deadline = .max
    switch request {
    case .describe:
      send(WyomingEvent("describe"))
      beginAnswer(now)
    case .recognise(let language, let before):
      var data: [String: JSONValue] = [:]
      if let language { data["language"] = .string(language) }
      if let before { data["context"] = .object(["before": .string(before)]) }
      send(WyomingEvent("transcribe", data))
      beginSound(now)
    case .speak(let text, let voice):
      var data: [String: JSONValue] = ["text": .string(text)]
      if let voice { data["voice"] = .object(["name": .string(voice)]) }
      send(WyomingEvent("synthesize", data))
      beginAnswer(now)
    case .wake(let words):
      let names = JSONValue.array(words.map { .string($0) })
      send(WyomingEvent("detect", words.isEmpty ? [:] : ["names": names]))
      beginSound(now)
    case .handle(let text, let language):
      var data: [String: JSONValue] = ["text": .string(text)]
      if let language { data["language"] = .string(language) }
      send(WyomingEvent("transcript", data))
      beginAnswer(now)
    }
  }

  /// Takes speech in ``SoundFormat/speech``, where some is asked for.
  ///
  /// Before the connection is there it keeps 3 s; more fails the call (``SpeechFault/behind``), as a text of half the
  /// speech would be a lie.
  ///
  /// - Parameter pcm: 16-bit samples, the lowest octet first.
  public mutating func append(sound pcm: [UInt8]) {
    guard !pcm.isEmpty else { return }
    switch state {
    case .connecting where early.count + pcm.count > Self.earlyBytes: fail(.behind)
    case .connecting: early += pcm
    case .asking: send(WyomingEvent("audio-chunk", SoundFormat.speech.data, payload: pcm))
    case .answering, .over: break
    }
  }

  /// No more speech comes: the text is due.
  public mutating func finishSound(nowNanoseconds now: Int64) {
    isFinishedEarly = isFinishedEarly || state == .connecting
    guard state == .asking else { return }
    send(WyomingEvent("audio-stop"))
    beginAnswer(now)
  }

  /// Takes what the service sent.
  public mutating func receive(_ octets: some Sequence<UInt8>, nowNanoseconds now: Int64) {
    guard state != .over else { return }
    decoder.append(octets)
    do throws(SpeechFault) {
      while state != .over, let event = try decoder.next() { try take(event, now) }
    } catch {
      fail(error)
    }
  }

  /// The connection ended, or never came to be.
  public mutating func closed() {
    switch state {
    case .over: return
    case .connecting: fail(.unreachable)
    case .asking, .answering:
      // Some services end the connection instead of the answer.
      if let last = answer.textAtEnd(of: request) {
        news += [last, .done]
        end()
      } else {
        fail(.gone)
      }
    }
  }

  /// The service takes octets more slowly than they come.
  public mutating func fellBehind() { fail(.behind) }

  /// Time passed.
  public mutating func tick(nowNanoseconds now: Int64) {
    guard now >= deadline else { return }
    fail(state == .connecting ? .unreachable : .late)
  }

  /// This node wants no more of it.
  public mutating func stop() { fail(.stopped) }

  // MARK: Steps

  private mutating func take(_ event: WyomingEvent, _ now: Int64) throws(SpeechFault) {
    guard state == .asking || state == .answering else { throw .unexpected }
    let (told, isComplete) = try answer.take(event, of: request)
    news += told
    if state == .answering { deadline = now + times.answerNanoseconds }
    if isComplete {
      news.append(.done)
      end()
    }
  }

  private mutating func send(_ event: WyomingEvent) { outgoing += event.octets }

  private mutating func beginSound(_ now: Int64) {
    send(WyomingEvent("audio-start", SoundFormat.speech.data))
    let sound = early
    early = []
    append(sound: sound)
    if isFinishedEarly { finishSound(nowNanoseconds: now) }
  }

  private mutating func beginAnswer(_ now: Int64) {
    state = .answering
    deadline = now + times.answerNanoseconds
  }

  private mutating func fail(_ fault: SpeechFault) {
    guard state != .over else { return }
    news.append(.failed(fault))
    end()
  }

  private mutating func end() {
    state = .over
    deadline = .max
    outgoing = []
  }
}
