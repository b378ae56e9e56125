public import StatusSchema

/// What a node answers to a ``ControlRequest``: one JSON object on a line.
///
/// Its JSON is described in `STATUS.md` of StatusSchema.
public enum ControlResponse: Sendable, Hashable {
  /// Done.
  case ok
  /// Done, and something about it that a person should know.
  case done(note: String)
  /// The answer to ``ControlRequest/status``.
  case status(Status)
  /// The answer to ``ControlRequest/version``: the daemon's version, and the schema of its status.
  case version(String, schema: Int)
  /// The answer to ``ControlRequest/groupNew(name:)``: the text that lets others in.
  case invitation(SecretText)
  /// The answer to ``ControlRequest/groupList`` and ``ControlRequest/groupJoin(invitation:)``.
  case groups([GroupStatus])
  /// The answer to ``ControlRequest/peers`` and ``ControlRequest/pairWith(peer:pin:)``.
  case knownNodes([KnownNodeStatus])
  /// The answer to ``ControlRequest/pairShow(group:)``: six digits, and how long they are good.
  case pin(SecretText, seconds: Double)
  /// The answer to ``ControlRequest/logLevel(level:area:)``: the level of each area asked about.
  case logLevels([String: String])
  /// The answer to ``ControlRequest/testLoop(peer:)``.
  case loopTest(LoopTestStatus)
  /// The answer to ``ControlRequest/testSpeech(peer:)``.
  case speechTest(SpeechTestStatus)
  /// The answer to ``SoundRequest/test(seconds:)``.
  case voiceTest(VoiceTestStatus)
  /// The answer to ``ControlRequest/recordStart(_:)``: the folder that the files are in.
  case recording(path: String)
  /// The answer to ``ControlRequest/messages(_:)`` and ``ControlRequest/say(to:text:)``, the oldest first.
  case messages([MessageStatus])
  /// The answer to ``VoiceMessageRequest/audio(number:offset:)``.
  case audio(AudioPart)
  /// The answer to ``ControlRequest/pageInvite(rights:name:)``.
  case pageInvitation(PageInvitation)
  /// The answer to ``ControlRequest/pageList``.
  case pageSessions([PageSessionStatus])
  /// The answer to ``PageTokenRequest/new(name:rights:)``.
  case pageToken(SecretText)
  /// The answer to ``LineRequest/list``.
  case lines([LineStatus])
  /// The answer to ``KeyRequest/list``.
  case keys([KeyStatus])
  /// The answer to ``CallRequest/list``.
  case calls(CallsStatus)
  /// The answer to an ``AssistantRequest``.
  case assistant(AssistantAnswer)
  /// The answer to ``ServiceRequest/doctor``.
  case findings([FindingStatus])
  /// The answer to ``CaptionRequest/show(_:)``: chunks, the oldest first.
  case captions([CaptionStatus])
  /// Not done, and why, in words for a person.
  case error(message: String)
}

extension ControlResponse {
  /// The answer to ``ControlRequest/identityNew``: what holds from when on, and what is lost.
  ///
  /// - Parameter words: the new identity.
  public static func newIdentity(_ words: [String]) -> ControlResponse {
    .done(
      note: """
        new identity: \(words.joined(separator: " ")). It holds from comlinkd's next start on (the service: \
        sudo systemctl restart comlinkd). Groups stay; who paired with this node, accepted or blocked it has to \
        do so again
        """)
  }
}

extension ControlResponse: Codable {
  private enum Key: String, CodingKey {
    case ok, status, version, schema, error, invitation, groups, knownNodes, pin, seconds, note,
      logLevels, loopTest, speechTest, voiceTest, recording, messages, pageInvitation, pageSessions,
      pageToken, lines, keys, calls, assistant, audio, findings, captions
  }

  /// Reads an answer; fields it does not know are ignored.
  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Key.self)
    guard try fields.decode(Bool.self, forKey: .ok) else {
      self = .error(message: try fields.decode(String.self, forKey: .error))
      return
    }
    if let status = try fields.decodeIfPresent(Status.self, forKey: .status) {
      self = .status(status)
    } else if let version = try fields.decodeIfPresent(String.self, forKey: .version) {
      self = .version(version, schema: try fields.decode(Int.self, forKey: .schema))
    } else if let invitation = try fields.decodeIfPresent(String.self, forKey: .invitation) {
      self = .invitation(SecretText(invitation))
    } else if let lines = try fields.decodeIfPresent([LineStatus].self, forKey: .lines) {
      self = .lines(lines)
    } else if let keys = try fields.decodeIfPresent([KeyStatus].self, forKey: .keys) {
      self = .keys(keys)
    } else if let calls = try fields.decodeIfPresent(CallsStatus.self, forKey: .calls) {
      self = .calls(calls)
    } else if let answer = try fields.decodeIfPresent(AssistantAnswer.self, forKey: .assistant) {
      self = .assistant(answer)
    } else if let chunks = try fields.decodeIfPresent([CaptionStatus].self, forKey: .captions) {
      self = .captions(chunks)
    } else if let groups = try fields.decodeIfPresent([GroupStatus].self, forKey: .groups) {
      self = .groups(groups)
    } else if let known = try fields.decodeIfPresent(
      [KnownNodeStatus].self, forKey: .knownNodes)
    {
      self = .knownNodes(known)
    } else if let pin = try fields.decodeIfPresent(String.self, forKey: .pin) {
      self = .pin(SecretText(pin), seconds: try fields.decode(Double.self, forKey: .seconds))
    } else if let note = try fields.decodeIfPresent(String.self, forKey: .note) {
      self = .done(note: note)
    } else if let levels = try fields.decodeIfPresent([String: String].self, forKey: .logLevels) {
      self = .logLevels(levels)
    } else if let result = try Self.testResult(fields) {
      self = result
    } else if let path = try fields.decodeIfPresent(String.self, forKey: .recording) {
      self = .recording(path: path)
    } else if let messages = try fields.decodeIfPresent([MessageStatus].self, forKey: .messages) {
      self = .messages(messages)
    } else if let findings = try fields.decodeIfPresent([FindingStatus].self, forKey: .findings) {
      self = .findings(findings)
    } else if let part = try fields.decodeIfPresent(AudioPart.self, forKey: .audio) {
      self = .audio(part)
    } else if let invitation = try fields.decodeIfPresent(
      PageInvitation.self, forKey: .pageInvitation)
    {
      self = .pageInvitation(invitation)
    } else if let sessions = try fields.decodeIfPresent(
      [PageSessionStatus].self, forKey: .pageSessions)
    {
      self = .pageSessions(sessions)
    } else if let token = try fields.decodeIfPresent(String.self, forKey: .pageToken) {
      self = .pageToken(SecretText(token))
    } else {
      self = .ok
    }
  }

  private static func testResult(
    _ fields: KeyedDecodingContainer<Key>
  ) throws -> ControlResponse? {
    if let result = try fields.decodeIfPresent(LoopTestStatus.self, forKey: .loopTest) {
      return .loopTest(result)
    }
    if let result = try fields.decodeIfPresent(SpeechTestStatus.self, forKey: .speechTest) {
      return .speechTest(result)
    }
    return try fields.decodeIfPresent(VoiceTestStatus.self, forKey: .voiceTest).map {
      .voiceTest($0)
    }
  }

  /// Writes the answer as `STATUS.md` describes it.
  public func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: Key.self)
    var isDone = true
    if case .error = self { isDone = false }
    try fields.encode(isDone, forKey: .ok)
    switch self {
    case .ok: break
    case .done(let note): try fields.encode(note, forKey: .note)
    case .status(let status):
      try fields.encode(status, forKey: .status)
    case .version(let version, let schema):
      try fields.encode(version, forKey: .version)
      try fields.encode(schema, forKey: .schema)
    case .invitation(let invitation):
      try fields.encode(invitation.text, forKey: .invitation)
    case .groups(let groups):
      try fields.encode(groups, forKey: .groups)
    case .knownNodes(let known):
      try fields.encode(known, forKey: .knownNodes)
    case .pin(let pin, let seconds):
      try fields.encode(pin.text, forKey: .pin)
      try fields.encode(seconds, forKey: .seconds)
    case .logLevels(let levels):
      try fields.encode(levels, forKey: .logLevels)
    case .loopTest(let result):
      try fields.encode(result, forKey: .loopTest)
    case .speechTest(let result):
      try fields.encode(result, forKey: .speechTest)
    case .voiceTest(let result): try fields.encode(result, forKey: .voiceTest)
    case .lines(let lines): try fields.encode(lines, forKey: .lines)
    case .keys(let keys): try fields.encode(keys, forKey: .keys)
    case .calls(let calls): try fields.encode(calls, forKey: .calls)
    case .assistant(let answer): try fields.encode(answer, forKey: .assistant)
    case .captions(let chunks): try fields.encode(chunks, forKey: .captions)
    case .recording(let path):
      try fields.encode(path, forKey: .recording)
    case .messages(let messages):
      try fields.encode(messages, forKey: .messages)
    case .audio(let part):
      try fields.encode(part, forKey: .audio)
    case .pageInvitation(let invitation):
      try fields.encode(invitation, forKey: .pageInvitation)
    case .pageSessions(let sessions):
      try fields.encode(sessions, forKey: .pageSessions)
    case .findings(let findings): try fields.encode(findings, forKey: .findings)
    case .pageToken(let token): try fields.encode(token.text, forKey: .pageToken)
    case .error(let message): try fields.encode(message, forKey: .error)
    }
  }
}
