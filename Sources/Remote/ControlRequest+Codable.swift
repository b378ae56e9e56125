internal import StatusSchema

extension ControlRequest: Codable {
  private enum Key: String, CodingKey {
    case request, peer, on, decibels, position, azimuth, elevation, group, invitation, pin, level,
      area, hertz, seconds,
      minutes, recording, levels, to, text, messages, with, rights, name, session, settings,
      aloud
  }

  /// Reads a request; what is missing, unknown or out of range is told in words.
  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Key.self)
    let word = try fields.decode(String.self, forKey: .request)
    if let request = try Self.lineOrKey(word, from: decoder) {
      self = request
      return
    }
    guard let kind = Kind(rawValue: word) else {
      let known = Self.words.joined(separator: ", ")
      throw DecodingError.dataCorruptedError(
        forKey: .request, in: fields,
        debugDescription: "unknown request \"\(word.prefix(40))\"; use one of \(known)")
    }
    switch kind {
    case .status: self = .status
    case .subscribe:
      self = .subscribe(
        levels: try fields.decodeIfPresent(LevelForm.self, forKey: .levels) ?? .calm)
    case .version: self = .version
    case .talk: self = .talk(isOn: try fields.decode(Bool.self, forKey: .on))
    case .sidetone:
      let isGiven = try fields.contains(.decibels) && !fields.decodeNil(forKey: .decibels)
      self = .sidetone(
        decibels: isGiven
          ? try Self.number(fields, .decibels, within: NodeStatus.sidetoneRangeDecibels) : nil)
    case .ear:
      self = .ear(changes: try fields.decode([String: String].self, forKey: .settings))
    case .voice:
      self = .voice(changes: try fields.decode([String: String].self, forKey: .settings))
    case .choose:
      self = .choose(changes: try fields.decode([String: String].self, forKey: .settings))
    case .gain, .mute, .pan, .place: self = try Self.mix(kind, fields)
    case .groupNew, .groupJoin, .groupList, .groupLeave: self = try Self.group(kind, fields)
    case .peers: self = .peers
    case .accept, .decline, .invite, .forget, .block: self = try Self.judgement(kind, fields)
    case .identityNew: self = .identityNew
    case .pairShow:
      self = .pairShow(group: try fields.decodeIfPresent(String.self, forKey: .group))
    case .pairWith:
      self = .pairWith(
        peer: try fields.decode(String.self, forKey: .peer),
        pin: SecretText(try fields.decode(String.self, forKey: .pin)))
    case .logLevel:
      self = .logLevel(
        level: try fields.decodeIfPresent(String.self, forKey: .level),
        area: try fields.decodeIfPresent(String.self, forKey: .area))
    case .testTone, .testLoop, .testSpeech, .loopBack, .loopBackOff:
      self = try Self.test(kind, fields)
    case .recordStart:
      self = .recordStart(try fields.decode(RecordingRequest.self, forKey: .recording))
    case .recordStop: self = .recordStop
    case .say, .messages, .messagesClear: self = try Self.message(kind, fields)
    case .pageInvite, .pageList, .pageRevoke: self = try Self.page(kind, fields)
    }
  }

  /// How a peer is heard.
  private static func mix(
    _ kind: Kind, _ fields: KeyedDecodingContainer<Key>
  ) throws -> ControlRequest {
    let peer = try fields.decode(String.self, forKey: .peer)
    switch kind {
    case .gain:
      return .gain(
        peer: peer,
        decibels: try number(fields, .decibels, within: PeerStatus.gainRangeDecibels))
    case .mute: return .mute(peer: peer, isOn: try fields.decode(Bool.self, forKey: .on))
    case .place:
      let isGiven = try fields.contains(.azimuth) && !fields.decodeNil(forKey: .azimuth)
      guard isGiven else { return .place(peer: peer, azimuth: nil, elevation: 0) }
      return .place(
        peer: peer,
        azimuth: try number(fields, .azimuth, within: PeerStatus.azimuthRangeDegrees),
        elevation: try fields.contains(.elevation)
          ? number(fields, .elevation, within: PeerStatus.elevationRangeDegrees) : 0)
    default:
      return .pan(
        peer: peer, position: try number(fields, .position, within: PeerStatus.panRange))
    }
  }

  /// What is written.
  private static func message(
    _ kind: Kind, _ fields: KeyedDecodingContainer<Key>
  ) throws -> ControlRequest {
    switch kind {
    case .say:
      return .say(
        to: try fields.decode(String.self, forKey: .to),
        text: try fields.decode(String.self, forKey: .text),
        isAloud: try fields.decodeIfPresent(Bool.self, forKey: .aloud) ?? false)
    case .messages:
      return .messages(
        try fields.decodeIfPresent(MessageRequest.self, forKey: .messages) ?? MessageRequest())
    default:
      return .messagesClear(with: try fields.decodeIfPresent(String.self, forKey: .with))
    }
  }

  /// Who may use the page.
  private static func page(
    _ kind: Kind, _ fields: KeyedDecodingContainer<Key>
  ) throws -> ControlRequest {
    switch kind {
    case .pageInvite:
      return .pageInvite(
        rights: try fields.decode(PageRights.self, forKey: .rights),
        name: try fields.decodeIfPresent(String.self, forKey: .name))
    case .pageList: return .pageList
    default:
      return .pageRevoke(session: try fields.decodeIfPresent(String.self, forKey: .session))
    }
  }

  private static var words: [String] {
    Kind.allCases.map(\.rawValue) + LineRequest.Kind.allCases.map(\.rawValue)
      + KeyRequest.Kind.allCases.map(\.rawValue) + CallRequest.Kind.allCases.map(\.rawValue)
      + PatchRequest.Kind.allCases.map(\.rawValue)
      + OperatorRequest.Kind.allCases.map(\.rawValue)
      + AssistantRequest.Kind.allCases.map(\.rawValue)
      + MessageActRequest.Kind.allCases.map(\.rawValue)
      + VoiceMessageRequest.Kind.allCases.map(\.rawValue)
      + SoundRequest.Kind.allCases.map(\.rawValue)
      + ServiceRequest.allCases.map(\.rawValue)
      + PageTokenRequest.Kind.allCases.map(\.rawValue)
      + CaptionRequest.Kind.allCases.map(\.rawValue)
      + SessionRequest.Kind.allCases.map(\.rawValue)
  }

  /// A request of a kind of its own, such as of lines or keys; nil: the word is of no such.
  private static func lineOrKey(
    _ word: String, from decoder: any Decoder
  ) throws -> ControlRequest? {
    if let kind = LineRequest.Kind(rawValue: word) {
      return .line(try LineRequest(kind, from: decoder))
    }
    if let request = ServiceRequest(rawValue: word) { return .service(request) }
    if let kind = MessageActRequest.Kind(rawValue: word) {
      return .messageAct(try MessageActRequest(kind, from: decoder))
    }
    if let kind = VoiceMessageRequest.Kind(rawValue: word) {
      return .voiceMessage(try VoiceMessageRequest(kind, from: decoder))
    }
    if let kind = SoundRequest.Kind(rawValue: word) {
      return .sound(try SoundRequest(kind, from: decoder))
    }
    if let kind = PatchRequest.Kind(rawValue: word) {
      return .patch(try PatchRequest(kind, from: decoder))
    }
    if let kind = OperatorRequest.Kind(rawValue: word) {
      return .operators(try OperatorRequest(kind, from: decoder))
    }
    if let kind = CallRequest.Kind(rawValue: word) {
      return .call(try CallRequest(kind, from: decoder))
    }
    if let kind = AssistantRequest.Kind(rawValue: word) {
      return .assistant(try AssistantRequest(kind, from: decoder))
    }
    if let kind = PageTokenRequest.Kind(rawValue: word) {
      return .pageToken(try PageTokenRequest(kind, from: decoder))
    }
    if let kind = CaptionRequest.Kind(rawValue: word) {
      return .captions(try CaptionRequest(kind, from: decoder))
    }
    if let kind = SessionRequest.Kind(rawValue: word) {
      return .session(try SessionRequest(kind, from: decoder))
    }
    return try KeyRequest.Kind(rawValue: word).map { .key(try KeyRequest($0, from: decoder)) }
  }

  /// The groups that the node is in.
  private static func group(
    _ kind: Kind, _ fields: KeyedDecodingContainer<Key>
  ) throws -> ControlRequest {
    switch kind {
    case .groupNew: return .groupNew(name: try fields.decode(String.self, forKey: .group))
    case .groupJoin:
      let invitation = try fields.decode(String.self, forKey: .invitation)
      return .groupJoin(invitation: SecretText(invitation))
    case .groupLeave: return .groupLeave(name: try fields.decode(String.self, forKey: .group))
    default: return .groupList
    }
  }

  /// What the user says of a node.
  private static func judgement(
    _ kind: Kind, _ fields: KeyedDecodingContainer<Key>
  ) throws -> ControlRequest {
    let peer = try fields.decode(String.self, forKey: .peer)
    switch kind {
    case .accept: return .accept(peer: peer)
    case .decline: return .decline(peer: peer)
    case .invite: return .invite(peer: peer)
    case .forget: return .forget(peer: peer)
    default: return .block(peer: peer)
    }
  }

  /// Tests in the field, and the consent to them.
  private static func test(
    _ kind: Kind, _ fields: KeyedDecodingContainer<Key>
  ) throws -> ControlRequest {
    switch kind {
    case .testTone:
      return .testTone(
        levelDBFS: try number(fields, .level, within: toneLevelRangeDBFS),
        hertz: try number(fields, .hertz, within: toneRangeHertz),
        seconds: try number(fields, .seconds, within: toneRangeSeconds))
    case .testLoop: return .testLoop(peer: try fields.decode(String.self, forKey: .peer))
    case .testSpeech:
      return .testSpeech(peer: try fields.decodeIfPresent(String.self, forKey: .peer))
    case .loopBack:
      return .loopBack(
        peer: try fields.decode(String.self, forKey: .peer),
        minutes: try number(fields, .minutes, within: loopBackRangeMinutes))
    default: return .loopBackOff
    }
  }

  /// Writes the request as `STATUS.md` describes it.
  public func encode(to encoder: any Encoder) throws {
    switch self {
    case .line(let request): try request.encode(to: encoder)
    case .key(let request): try request.encode(to: encoder)
    case .messageAct(let request): try request.encode(to: encoder)
    case .voiceMessage(let request): try request.encode(to: encoder)
    case .patch(let request): try request.encode(to: encoder)
    case .operators(let request): try request.encode(to: encoder)
    case .call(let request): try request.encode(to: encoder)
    case .assistant(let request): try request.encode(to: encoder)
    case .sound(let request): try request.encode(to: encoder)
    case .service(let request):
      var fields = encoder.container(keyedBy: Key.self)
      try fields.encode(request.rawValue, forKey: .request)
    case .pageToken(let request): try request.encode(to: encoder)
    case .captions(let request): try request.encode(to: encoder)
    case .session(let request): try request.encode(to: encoder)
    default:
      var fields = encoder.container(keyedBy: Key.self)
      try fields.encodeIfPresent(kind?.rawValue, forKey: .request)
      try write(to: &fields)
    }
  }

  private func write(to fields: inout KeyedEncodingContainer<Key>) throws {
    switch self {
    case .line, .key, .patch, .operators, .call, .assistant, .voiceMessage, .sound, .service,
      .pageToken, .captions, .session, .messageAct:
      break
    case .status, .version, .groupList, .peers, .identityNew, .loopBackOff, .recordStop,
      .pageList:
      break
    case .subscribe(let levels): try fields.encode(levels, forKey: .levels)
    case .testTone(let levelDBFS, let hertz, let seconds):
      try fields.encode(levelDBFS, forKey: .level)
      try fields.encode(hertz, forKey: .hertz)
      try fields.encode(seconds, forKey: .seconds)
    case .testSpeech(let peer): try fields.encodeIfPresent(peer, forKey: .peer)
    case .loopBack(let peer, let minutes):
      try fields.encode(peer, forKey: .peer)
      try fields.encode(minutes, forKey: .minutes)
    case .say(let to, let text, let isAloud):
      try fields.encode(to, forKey: .to)
      try fields.encode(text, forKey: .text)
      if isAloud { try fields.encode(true, forKey: .aloud) }
    case .messages(let request): try fields.encode(request, forKey: .messages)
    case .messagesClear(let conversation):
      try fields.encodeIfPresent(conversation, forKey: .with)
    case .recordStart(let recording): try fields.encode(recording, forKey: .recording)
    case .accept(let peer), .decline(let peer), .invite(let peer), .forget(let peer),
      .block(let peer), .testLoop(let peer):
      try fields.encode(peer, forKey: .peer)
    case .pairShow(let group): try fields.encodeIfPresent(group, forKey: .group)
    case .pairWith(let peer, let pin):
      try fields.encode(peer, forKey: .peer)
      try fields.encode(pin.text, forKey: .pin)
    case .talk(let isOn): try fields.encode(isOn, forKey: .on)
    case .sidetone(let decibels): try fields.encodeIfPresent(decibels, forKey: .decibels)
    case .ear(let changes), .voice(let changes), .choose(let changes):
      try fields.encode(changes, forKey: .settings)
    case .gain(let peer, let decibels):
      try fields.encode(peer, forKey: .peer)
      try fields.encode(decibels, forKey: .decibels)
    case .mute(let peer, let isOn):
      try fields.encode(peer, forKey: .peer)
      try fields.encode(isOn, forKey: .on)
    case .pan(let peer, let position):
      try fields.encode(peer, forKey: .peer)
      try fields.encode(position, forKey: .position)
    case .place(let peer, let azimuth, let elevation):
      try fields.encode(peer, forKey: .peer)
      try fields.encodeIfPresent(azimuth, forKey: .azimuth)
      if azimuth != nil { try fields.encode(elevation, forKey: .elevation) }
    case .groupNew(let name), .groupLeave(let name): try fields.encode(name, forKey: .group)
    case .groupJoin(let invitation): try fields.encode(invitation.text, forKey: .invitation)
    case .logLevel(let level, let area):
      try fields.encodeIfPresent(level, forKey: .level)
      try fields.encodeIfPresent(area, forKey: .area)
    case .pageInvite(let rights, let name):
      try fields.encode(rights, forKey: .rights)
      try fields.encodeIfPresent(name, forKey: .name)
    case .pageRevoke(let session): try fields.encodeIfPresent(session, forKey: .session)
    }
  }

  /// Nil: requests of lines, keys and the like have their own.
  private var kind: Kind? {
    switch self {
    case .line, .key, .patch, .operators, .call, .assistant, .voiceMessage, .sound, .service,
      .pageToken, .captions, .session, .messageAct:
      nil
    case .status: .status
    case .subscribe: .subscribe
    case .version: .version
    case .talk: .talk
    case .sidetone: .sidetone
    case .ear: .ear
    case .voice: .voice
    case .choose: .choose
    case .gain: .gain
    case .mute: .mute
    case .pan: .pan
    case .place: .place
    case .groupNew: .groupNew
    case .groupJoin: .groupJoin
    case .groupList: .groupList
    case .groupLeave: .groupLeave
    case .peers: .peers
    case .accept: .accept
    case .decline: .decline
    case .invite: .invite
    case .forget: .forget
    case .block: .block
    case .identityNew: .identityNew
    case .pairShow: .pairShow
    case .pairWith: .pairWith
    case .logLevel: .logLevel
    case .testTone: .testTone
    case .testLoop: .testLoop
    case .testSpeech: .testSpeech
    case .loopBack: .loopBack
    case .loopBackOff: .loopBackOff
    case .recordStart: .recordStart
    case .recordStop: .recordStop
    case .say: .say
    case .messages: .messages
    case .messagesClear: .messagesClear
    case .pageInvite: .pageInvite
    case .pageList: .pageList
    case .pageRevoke: .pageRevoke
    }
  }

  private static func number(
    _ fields: KeyedDecodingContainer<Key>, _ key: Key, within range: ClosedRange<Double>
  ) throws -> Double {
    let value = try fields.decode(Double.self, forKey: key)
    guard range.contains(value) else {
      throw DecodingError.dataCorruptedError(
        forKey: key, in: fields,
        debugDescription:
          "\(key.rawValue) must be from \(range.lowerBound) to \(range.upperBound), not \(value)")
    }
    return value
  }
}
