/// A call to the assistant: who listens, thinks or speaks, and what follows from what happens.
///
/// States: connecting → listening ⇄ thinking → speaking → listening …, until ended or error. Sans-I/O: whoever runs it
/// says what happens and when, and carries out ``takeActions()`` after each call.
///
/// - **A turn** begins with what somebody said (``heard(_:of:nowNanoseconds:)`` of a voice, ``ask(_:nowNanoseconds:)``
///   typed), goes to the model, and is spoken sentence by sentence as the answer comes. Tools that the model wants are
///   used in between, ``CallSettings/toolRounds`` times at most.
/// - **Barge-in**: a voice that goes on for ``CallSettings/bargeInNanoseconds`` while the assistant thinks or speaks
///   takes the floor. The detector decides within 30 ms, so that the speech stops within 200 ms.
/// - **The end**: ``hangUp(nowNanoseconds:)``, silence, length, or a third turn in a row that fails.
///
/// Times are nanoseconds of any clock that only grows.
public struct AssistantCall {
  /// What the call does.
  public enum State: String, Hashable, Sendable {
    case connecting, listening, thinking, speaking, ended, error
  }

  /// What is to be done.
  public enum Action: Hashable, Sendable {
    /// Somebody begins to speak: what the microphone has is to be recognised, from a little earlier on.
    case listen
    /// They ended: what was recognised is wanted, with this number.
    case recognise(Int)
    /// What was heard is nothing.
    case forget
    /// Ask the model; answers come with this number.
    case query(Int, ChatQuery)
    /// The answer to the last question is not wanted any more.
    case dropQuery
    /// Speak a sentence; say with its number when it has been heard.
    case speak(Int, String)
    /// Be silent at once.
    case silence
    /// Use tools, and tell what they found with the question's number.
    case use(Int, [ToolCall])
    /// Something was said, by whom; a turn of the session.
    case say(SessionTurn.Speaker, String, isInterrupted: Bool)
    /// The turn failed, why in words; the call goes on.
    case trouble(String)
    /// The call is over.
    case end(CallEnd)
  }

  private let settings: CallSettings
  private let endNanoseconds: Int64
  /// What it does.
  public private(set) var state = State.connecting
  private var history: CallHistory
  private var actions: [Action] = []
  /// The number of the question under way.
  private var query = 0
  private var rounds = 0
  private var answer = SpokenAnswer()
  private var sentenceCount = 0
  private var failures = 0
  /// Since when a voice is heard; nil: none is.
  private var voiceNanoseconds: Int64?
  /// Whether that voice is being recognised.
  private var isHearing = false
  /// What is being recognised still, by number, and what was already of a sentence that goes on.
  private var (recognising, unfinished) = (Set<Int>(), "")
  private var quietNanoseconds: Int64

  /// A call that begins.
  public init(_ settings: CallSettings, nowNanoseconds now: Int64) {
    self.settings = settings
    endNanoseconds = now + settings.lengthNanoseconds
    quietNanoseconds = now
    history = CallHistory(prompt: settings.prompt)
  }

  /// Whether it is over.
  public var isOver: Bool { state == .ended || state == .error }

  /// What is to be done, in this order.
  public mutating func takeActions() -> [Action] {
    defer { actions = [] }
    return actions
  }

  // MARK: What happens

  /// All that the call needs is there.
  public mutating func connected(nowNanoseconds now: Int64) {
    guard state == .connecting else { return }
    listen(now)
  }

  /// Something that the call cannot go on without is gone, why in words.
  public mutating func failed(_ words: String, nowNanoseconds now: Int64) {
    guard !isOver else { return }
    finish(.failed(words))
  }

  /// The detector hears a voice, or none any more; at each change.
  public mutating func hear(voice isVoice: Bool, nowNanoseconds now: Int64) {
    guard !isOver, state != .connecting else { return }
    guard isVoice else {
      voiceNanoseconds = nil
      quietNanoseconds = now
      guard isHearing else { return }
      isHearing = false
      guard state == .listening else { return }
      state = .thinking
      utteranceCount += 1
      recognising.insert(utteranceCount)
      return actions.append(.recognise(utteranceCount))
    }
    voiceNanoseconds = voiceNanoseconds ?? now
    if state == .listening, !isHearing {
      isHearing = true
      actions.append(.listen)
    }
  }

  /// What was recognised under a number; empty: nothing that is a word.
  public mutating func heard(_ text: String, of utterance: Int, nowNanoseconds now: Int64) {
    guard !isOver, recognising.remove(utterance) != nil else { return }
    unfinished = (unfinished + " " + text).trimmed
    // Who went on after a pause has not ended.
    guard state == .thinking, recognising.isEmpty else { return }
    let isWord = unfinished.contains { $0.isLetter || $0.isNumber }
    if isWord { begin(unfinished) } else { listen(now) }
    unfinished = ""
  }

  /// Nothing could be recognised, why in words.
  public mutating func notHeard(
    _ words: String, of utterance: Int, nowNanoseconds now: Int64
  ) {
    guard !isOver, recognising.remove(utterance) != nil else { return }
    guard state == .thinking, query == 0 else { return actions.append(.trouble(words)) }
    fail(words, now)
  }

  /// Somebody typed something.
  ///
  /// - Returns: false: the call is over, or not there yet.
  public mutating func ask(_ text: String, nowNanoseconds now: Int64) -> Bool {
    guard !isOver, state != .connecting else { return false }
    if isHearing {
      isHearing = false
      actions.append(.forget)
    }
    interrupt()
    (recognising, unfinished) = ([], "")
    quietNanoseconds = now
    begin(text)
    return true
  }

  /// A piece of the answer to a question.
  public mutating func take(_ piece: ChatPiece, of query: Int, nowNanoseconds now: Int64) {
    guard query == self.query, !answer.isComplete, state == .thinking || state == .speaking
    else { return }
    switch piece {
    case .text(let text):
      for sentence in answer.take(text) { speak(sentence) }
    case .end(let calls):
      if let sentence = answer.finish() { speak(sentence) }
      guard calls.isEmpty || rounds >= settings.toolRounds else {
        rounds += 1
        return actions.append(.use(query, calls))
      }
      failures = 0
      answer.isComplete = true
      if answer.text.isEmpty { return fail("the language model said nothing; ask again", now) }
      settle(now)
    }
  }

  /// What the tools found that an answer wanted.
  public mutating func used(_ results: [ToolResult], of query: Int, nowNanoseconds now: Int64) {
    guard query == self.query, !answer.isComplete, state == .thinking || state == .speaking
    else { return }
    history.use(results.map(\.call), saying: "", results)
    question()
  }

  /// There is no answer to a question.
  public mutating func fail(_ fault: ChatFault, of query: Int, nowNanoseconds now: Int64) {
    guard query == self.query, !answer.isComplete, state == .thinking || state == .speaking
    else { return }
    fail("\(fault)", now)
  }

  /// A sentence has been heard to its end.
  public mutating func spoke(_ sentence: Int, nowNanoseconds now: Int64) {
    guard answer.hear(sentence) else { return }
    if answer.speaking.isEmpty, !answer.isComplete { state = .thinking }
    settle(now)
  }

  /// A sentence cannot be spoken, why in words.
  public mutating func notSpoken(
    _ sentence: Int, _ words: String, nowNanoseconds now: Int64
  ) {
    guard answer.speaking[sentence] != nil else { return }
    actions.append(.trouble(words))
    spoke(sentence, nowNanoseconds: now)
  }

  /// Somebody ends the call.
  public mutating func hangUp(nowNanoseconds now: Int64) {
    guard !isOver else { return }
    finish(.hungUp)
  }

  /// Time has passed.
  public mutating func tick(nowNanoseconds now: Int64) {
    guard !isOver, now >= deadlineNanoseconds else { return }
    if now >= endNanoseconds { return finish(.length) }
    if let bargeIn, now >= bargeIn {
      interrupt()
      listen(now)
      isHearing = true
      return actions.append(.listen)
    }
    if isSilent, now >= quietNanoseconds + settings.silenceNanoseconds { finish(.silence) }
  }

  /// When ``tick(nowNanoseconds:)`` is due; `Int64.max`: never.
  public var deadlineNanoseconds: Int64 {
    guard !isOver else { return .max }
    let silence = isSilent ? quietNanoseconds + settings.silenceNanoseconds : .max
    return min(endNanoseconds, silence, bargeIn ?? .max)
  }

  /// Nobody says anything.
  private var isSilent: Bool { state == .listening && voiceNanoseconds == nil }

  /// When the voice that is heard takes the floor.
  private var bargeIn: Int64? {
    guard state == .thinking || state == .speaking, !isHearing else { return nil }
    return voiceNanoseconds.map { $0 + settings.bargeInNanoseconds }
  }

  // MARK: What follows

  private mutating func listen(_ now: Int64) {
    state = .listening
    quietNanoseconds = now
    query = 0
  }

  private mutating func begin(_ text: String) {
    actions.append(.say(.user, text, isInterrupted: false))
    history.begin(text)
    (answer, rounds) = (SpokenAnswer(), 0)
    state = .thinking
    question()
  }

  private mutating func question() {
    questionCount += 1
    query = questionCount
    actions.append(
      .query(
        query,
        ChatQuery(
          history.messages, tools: rounds < settings.toolRounds ? settings.tools : [],
          mostTokens: settings.mostTokens)))
  }

  private mutating func speak(_ sentence: String) {
    sentenceCount += 1
    answer.speaking[sentenceCount] = sentence
    state = .speaking
    actions.append(.speak(sentenceCount, sentence))
  }

  /// The turn is over once all of the answer came and was heard.
  private mutating func settle(_ now: Int64) {
    guard answer.isComplete, answer.speaking.isEmpty, state == .speaking || state == .thinking
    else {
      return
    }
    let text = answer.text.trimmed
    history.end(text)
    actions.append(.say(.assistant, text, isInterrupted: false))
    listen(now)
  }

  /// What is said and thought now is over; what was heard of it stays.
  private mutating func interrupt() {
    guard state == .thinking || state == .speaking else { return }
    if query > 0, !answer.isComplete { actions.append(.dropQuery) }
    if !answer.speaking.isEmpty { actions.append(.silence) }
    history.end(answer.heard)
    if query > 0, !answer.heard.isEmpty {
      actions.append(.say(.assistant, answer.heard, isInterrupted: true))
    }
    (answer, query) = (SpokenAnswer(), 0)
  }

  private mutating func fail(_ words: String, _ now: Int64) {
    interrupt()
    failures += 1
    actions.append(.trouble(words))
    guard failures < settings.mostFailures else { return finish(.failed(words)) }
    listen(now)
  }

  private mutating func finish(_ end: CallEnd) {
    if isHearing { actions.append(.forget) }
    isHearing = false
    interrupt()
    if case .failed = end { state = .error } else { state = .ended }
    actions.append(.end(end))
  }

  /// Questions asked, and utterances recognised, so far.
  private var (questionCount, utteranceCount) = (0, 0)
}

/// An answer on its way to the ear.
private struct SpokenAnswer {
  /// All of it so far, and the part of it that was heard.
  private(set) var (text, heard) = ("", "")
  /// Sentences that have not been heard yet, by number.
  var speaking: [Int: String] = [:]
  /// All of it came.
  var isComplete = false
  private var splitter = SentenceSplitter()

  /// Takes a piece of it.
  ///
  /// - Returns: the sentences that are complete now.
  mutating func take(_ piece: String) -> [String] {
    text += piece
    return splitter.take(piece)
  }

  /// - Returns: the rest of it.
  mutating func finish() -> String? { splitter.finish() }

  /// A sentence was heard; false: it was none of these.
  mutating func hear(_ sentence: Int) -> Bool {
    guard let words = speaking.removeValue(forKey: sentence) else { return false }
    heard += (heard.isEmpty ? "" : " ") + words
    return true
  }
}

extension String {
  /// Without blanks and line ends around it.
  var trimmed: String {
    var text = Substring(self)
    while text.last?.isWhitespace == true { text.removeLast() }
    return String(text.drop(while: \.isWhitespace))
  }
}
