/// What a remote can ask of a node: one JSON object on a line of the control socket.
///
/// Its JSON is described in `STATUS.md` of StatusSchema.
public enum ControlRequest: Sendable, Hashable {
  /// Asks for the ``Status``.
  case status
  /// Asks for the node as a document, then each change of it, as merge patches until the connection ends; the answer is
  /// ``ControlResponse/ok``.
  ///
  /// - Parameter levels: whether and how levels are told as they change, 20 times a second.
  case subscribe(levels: LevelForm)
  /// Asks for the daemon's version and schema.
  case version
  /// Turns the key of the line that all are on on or off.
  case talk(isOn: Bool)
  /// Asks about party lines.
  case line(LineRequest)
  /// Asks about inputs and buses.
  case patch(PatchRequest)
  /// Asks about operators, or another node.
  case operators(OperatorRequest)
  /// Asks about keys.
  case key(KeyRequest)
  /// Calls, and answers calls.
  case call(CallRequest)
  /// Asks about the assistant.
  case assistant(AssistantRequest)
  /// Asks what the microphone is like.
  case sound(SoundRequest)
  /// Asks about the service and its machine.
  case service(ServiceRequest)
  /// Asks about captions.
  case captions(CaptionRequest)
  /// Asks something of hosted sessions of captions.
  case session(SessionRequest)
  /// Sets how loud the own microphone is in the own ear, within `NodeStatus.sidetoneRangeDecibels`; nil: not at all.
  case sidetone(decibels: Double?)
  /// Changes settings of the ear, by name and as they are written; the others stay.
  case ear(changes: [String: String])
  /// Changes settings of the own voice, by name and as they are written; the others stay.
  case voice(changes: [String: String])
  /// Chooses settings of the station in place of its configuration file's, by name and as they are written; `default`
  /// takes a choice back. They hold from the next start on; the answer is ``ControlResponse/done(note:)``.
  case choose(changes: [String: String])
  /// Sets a peer's gain in the mix, within ``gainRangeDecibels``.
  case gain(peer: String, decibels: Double)
  /// Mutes or unmutes a peer in the mix.
  case mute(peer: String, isOn: Bool)
  /// Places a peer in the mix, -1 (left) … 1 (right).
  case pan(peer: String, position: Double)
  /// Has a peer be heard from a direction around the head, within ``PeerStatus/azimuthRangeDegrees`` and
  /// ``PeerStatus/elevationRangeDegrees``; nil: by its pan.
  case place(peer: String, azimuth: Double?, elevation: Double)
  /// Makes a group with a new secret; the answer is ``ControlResponse/invitation(_:)``.
  case groupNew(name: String)
  /// Takes a group from its invitation; the answer is ``ControlResponse/groups(_:)`` with that one.
  case groupJoin(invitation: SecretText)
  /// Asks for the groups that the node is in.
  case groupList
  /// Forgets a group and its secret.
  case groupLeave(name: String)

  /// Asks whom the node knows; the answer is ``ControlResponse/knownNodes(_:)``.
  case peers
  /// Lets a node in that asks, by name, words or ID.
  case accept(peer: String)
  /// Does not let a node in that asks.
  case decline(peer: String)
  /// Asks a node to let this one in, and trusts it.
  case invite(peer: String)
  /// Takes trust in a node, or a block, back.
  case forget(peer: String)
  /// Keeps a node out for good.
  case block(peer: String)
  /// Makes a new identity for the node, from its next start on; the answer is ``ControlResponse/done(note:)``.
  case identityNew
  /// Makes a PIN for another node to be paired by; the answer is ``ControlResponse/pin(_:seconds:)``.
  case pairShow(group: String?)
  /// Pairs with the node that shows a PIN; the answer is ``ControlResponse/knownNodes(_:)`` with that one.
  case pairWith(peer: String, pin: SecretText)
  /// Begins to record; the answer is ``ControlResponse/recording(path:)``.
  case recordStart(RecordingRequest)
  /// Ends the recording, once its files are complete.
  case recordStop

  /// Sends a text to a member, `group`, `group:NAME`, `line:NAME`, or a line that no member is called like, and lets it
  /// be spoken there if that is wanted; the answer is ``ControlResponse/messages(_:)`` with it.
  case say(to: String, text: String, isAloud: Bool = false)
  /// Asks for messages; the answer is ``ControlResponse/messages(_:)``.
  case messages(MessageRequest)
  /// Forgets messages, of a conversation or all; the answer is ``ControlResponse/done(note:)``.
  case messagesClear(with: String?)
  /// Does something about messages that there are.
  case messageAct(MessageActRequest)
  /// Asks about voice messages.
  case voiceMessage(VoiceMessageRequest)
  /// Makes a token by which a phone signs in at the page; the answer is ``ControlResponse/pageInvitation(_:)``.
  ///
  /// - Parameters:
  ///   - rights: what the phone may do then.
  ///   - name: what it is called; nil: as it calls itself.
  case pageInvite(rights: PageRights, name: String?)
  /// Asks who is signed in at the page; the answer is ``ControlResponse/pageSessions(_:)``.
  case pageList
  /// Signs out whoever is of that name or ID; nil: everybody.
  case pageRevoke(session: String?)
  /// Asks about tokens by which programs use the page's REST.
  case pageToken(PageTokenRequest)

  /// Asks for the log's levels, or changes them first; the answer is ``ControlResponse/logLevels(_:)``.
  ///
  /// No level: nothing is changed. No area: all of them.
  case logLevel(level: String?, area: String?)
  /// Plays a tone to the ear, and to nobody else.
  case testTone(levelDBFS: Double, hertz: Double, seconds: Double)
  /// Measures the way of sound to a peer and back; the answer is ``ControlResponse/loopTest(_:)``.
  case testLoop(peer: String)
  /// Judges speech through the codec, or to a peer and back; the answer is ``ControlResponse/speechTest(_:)``.
  case testSpeech(peer: String?)
  /// Consents to a peer's tests: sends its voice back in place of this node's own, for so long.
  case loopBack(peer: String, minutes: Double)
  /// Sends this node's own voice again.
  case loopBackOff

  /// The levels of a tone that can be asked for: no louder than an ear in a headset bears.
  public static let toneLevelRangeDBFS = -60.0...(-6.0)
  /// Its pitches, Hz.
  public static let toneRangeHertz = 100.0...8000.0
  /// Its lengths.
  public static let toneRangeSeconds = 0.1...30.0
  /// How long a loop-back may last.
  public static let loopBackRangeMinutes = 0.1...60.0

  /// The words of the `request` field.
  enum Kind: String, CaseIterable {
    case status, subscribe, version, talk, sidetone, ear, voice, choose, gain, mute, pan, place
    case groupNew = "group-new"
    case groupJoin = "group-join"
    case groupList = "group-list"
    case groupLeave = "group-leave"
    case peers, accept, decline, invite, forget, block
    case identityNew = "id-new"
    case pairShow = "pair-show"
    case pairWith = "pair-with"
    case logLevel = "log-level"
    case testTone = "test-tone"
    case testLoop = "test-loop"
    case testSpeech = "test-speech"
    case loopBack = "loopback"
    case loopBackOff = "loopback-off"
    case recordStart = "record-start"
    case recordStop = "record-stop"
    case say, messages
    case messagesClear = "messages-clear"
    case pageInvite = "page-invite"
    case pageList = "page-list"
    case pageRevoke = "page-revoke"
  }

  /// Whether it is broken off when its client goes: what it does is for that client's user only.
  package var endsWithItsClient: Bool {
    switch self {
    case .testTone, .testLoop, .testSpeech, .sound: true
    default: false
    }
  }
}

/// What is to be recorded, as a remote asks for it.
public struct RecordingRequest: Sendable, Hashable, Codable {
  /// The folder that the take's folder is made in: an absolute path on the daemon's machine.
  public var directory: String
  /// A file for each talker.
  public var peers: Bool
  /// A file of the mix.
  public var mix: Bool
  /// A file for each of these buses with ports of their own; nil: none.
  public var buses: [String]?
  /// `opus` or `wav`; nil: the daemon's default, as in what follows.
  public var format: String?
  /// The most that all files may have together, bytes, above 0.
  public var maxSizeBytes: Int?
  /// What the disk is to have left, bytes, 0 and more.
  public var keepFreeBytes: Int?

  /// Asks for talkers and mix with the daemon's defaults.
  public init(directory: String) {
    self.directory = directory
    peers = true
    mix = true
  }
}

/// Which messages a remote asks for: the last ``limit`` of those that all of it holds for, the oldest first.
public struct MessageRequest: Sendable, Hashable, Codable {
  /// How many can be asked for at once.
  public static let limitRange = 1...200
  /// For how long a request can wait, seconds.
  public static let waitRangeSeconds = 0.0...20.0

  /// Of the conversation with a member, `group`, `group:NAME` or `line:NAME`; nil: of all.
  public var with: String?
  /// With all of these words, or words that begin so.
  public var search: String?
  /// Above this number.
  public var after: Int64?
  /// Below this number.
  public var before: Int64?
  /// At most so many, within ``limitRange``; nil: 50.
  public var limit: Int?
  /// Voice messages only; nil: all.
  public var voice: Bool?
  /// Where there is none yet, the answer waits for one so long, within ``waitRangeSeconds``.
  public var waitSeconds: Double?
  /// Whether they count as read; nil: not.
  public var marksRead: Bool?

  /// The last 50 of all.
  public init() {}
}

/// A text that is a secret, such as an invitation to a group: it goes over the control socket, but into no log.
public struct SecretText: Sendable, Hashable {
  /// The secret itself.
  public let text: String

  /// Takes a secret.
  public init(_ text: String) { self.text = text }
}

extension SecretText: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Never the text.
  public var description: String { "(secret)" }
  /// Never the text.
  public var debugDescription: String { "(secret)" }
  /// Never the text.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// The version of this build of Comlink.
public enum Version {
  /// Semantic version of the daemon and its remote.
  public static let current = "0.1.0"
}

/// What a remote can ask of the service and its machine; in JSON the word stands alone, as `{"request":"doctor"}`.
public enum ServiceRequest: String, Sendable, Hashable, CaseIterable {
  /// Asks what keeps the machine from carrying voice well; the answer is ``ControlResponse/findings(_:)``.
  case doctor
  /// Ends `comlinkd` so that systemd starts it again; the answer is ``ControlResponse/done(note:)``.
  case restart
}
