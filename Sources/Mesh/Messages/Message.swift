import Cryptography

/// What two nodes say to each other on a control connection.
///
/// How it is written is told in MESSAGES.md.
public enum Message: Hashable, Sendable {
  /// The first one, both ways.
  case hello(Hello)
  /// Every two seconds.
  case heartbeat(Heartbeat)
  /// The sender asks to be taken as a member; it takes the receiver already.
  case invite
  /// The sender takes the receiver as a member.
  case accept
  /// It does not.
  case decline(Decline)
  /// It leaves.
  case goodbye(Goodbye)
  /// The key of a media stream of the sender's.
  case mediaKey(MediaKey)
  /// A stream of the sender's is over for the receiver.
  case streamEnd(StreamEnd)
  /// A number against which the receiver proves its groups; for the connection, not for ``Mesh``.
  case challenge(Challenge)
  /// The answer to it; for the connection, not for ``Mesh``.
  case groupProof(GroupProof)
  /// Names of nodes that are no more are free.
  case forgotten(ForgottenNodes)
  /// The receiver's identity runs twice.
  case twin(Twin)
  /// What the application lanes say; for the connection, not for ``Mesh``.
  case lane(LaneFrame)
  /// A type that a later version added; ignored.
  case unknown(type: UInt64)

  /// The numbers that the types have on the wire.
  enum Kind {
    static let hello: UInt64 = 1
    static let heartbeat: UInt64 = 2
    static let invite: UInt64 = 3
    static let accept: UInt64 = 4
    static let decline: UInt64 = 5
    static let goodbye: UInt64 = 6
    static let mediaKey: UInt64 = 7
    static let challenge: UInt64 = 8
    static let groupProof: UInt64 = 9
    static let forgotten: UInt64 = 10
    static let twin: UInt64 = 11
    static let laneResume: UInt64 = 12
    static let laneChunk: UInt64 = 13
    static let laneReceipt: UInt64 = 14
    static let laneRefusal: UInt64 = 15
    static let streamEnd: UInt64 = 16
  }

  /// The numbers that the fields have in their message.
  enum Tag {
    static let major: UInt64 = 1
    static let minor: UInt64 = 2
    static let node: UInt64 = 3
    static let instance: UInt64 = 4
    static let name: UInt64 = 5
    static let role: UInt64 = 6
    static let colour: UInt64 = 7
    static let softwareVersion: UInt64 = 8
    static let controlAddress: UInt64 = 9
    static let mediaAddress: UInt64 = 10
    static let attempt: UInt64 = 11
    static let admits: UInt64 = 12
    static let memberCount: UInt64 = 13
    static let member: UInt64 = 14
    static let words: UInt64 = 15
    static let stream: UInt64 = 16
    static let epoch: UInt64 = 17
    static let key: UInt64 = 18
    static let nonce: UInt64 = 19
    static let code: UInt64 = 20
    static let loopBack: UInt64 = 21
    static let relocates: UInt64 = 22
    static let recording: UInt64 = 23
    static let asks: UInt64 = 24
    static let forgottenNode: UInt64 = 25
    static let ownLane: UInt64 = 26
    static let otherLane: UInt64 = 27
    static let channel: UInt64 = 28
    static let position: UInt64 = 29
    static let data: UInt64 = 30
    static let taken: UInt64 = 31
    static let source: UInt64 = 32
    static let audience: UInt64 = 33
    static let ssrc: UInt64 = 34
    static let effect: UInt64 = 35
    static let people: UInt64 = 36
  }
}

extension Message {
  /// The message behind its length prefix, as it goes out; empty for one of an unknown type.
  ///
  /// Of texts, addresses and members only as much as their limits allow.
  public func frame() -> [UInt8] {
    let payload = payload()
    guard !payload.isEmpty else { return [] }
    return FieldWriter.bigEndian(UInt64(payload.count), byteCount: MessageDecoder.prefixBytes)
      + payload
  }

  /// The type and the fields.
  func payload() -> [UInt8] {
    var writer = FieldWriter()
    switch self {
    case .hello(let hello):
      writer.number(Kind.hello)
      Self.write(hello, to: &writer)
    case .heartbeat(let heartbeat):
      writer.number(Kind.heartbeat)
      Self.write(heartbeat, to: &writer)
    case .invite:
      writer.number(Kind.invite)
    case .accept:
      writer.number(Kind.accept)
    case .decline(let decline):
      writer.number(Kind.decline)
      writer.field(Tag.words, text: decline.words)
      if let instance = decline.latestInstance { writer.field(Tag.instance, number: instance) }
    case .goodbye(let goodbye):
      writer.number(Kind.goodbye)
      writer.field(Tag.node, octets: goodbye.node.octets)
      writer.field(Tag.instance, number: goodbye.instance)
      writer.field(Tag.words, text: goodbye.words)
    case .mediaKey(let key):
      writer.number(Kind.mediaKey)
      Self.write(key, to: &writer)
    case .streamEnd(let end):
      writer.number(Kind.streamEnd)
      writer.field(Tag.stream, number: UInt64(clamping: end.stream))
    case .challenge(let challenge):
      writer.number(Kind.challenge)
      writer.field(Tag.nonce, octets: challenge.nonce)
    case .groupProof(let proof):
      writer.number(Kind.groupProof)
      for code in proof.codes.prefix(GroupProof.maximumCodes) {
        writer.field(Tag.code, octets: code)
      }
    case .forgotten(let forgotten):
      writer.number(Kind.forgotten)
      for one in forgotten.nodes.prefix(ForgottenNodes.maximumNodes) {
        var inner = FieldWriter()
        inner.field(Tag.node, octets: one.node.octets)
        inner.field(Tag.instance, number: one.instance)
        writer.field(Tag.forgottenNode, octets: inner.octets)
      }
    case .twin(let twin):
      writer.number(Kind.twin)
      writer.field(Tag.instance, number: twin.instance)
    case .lane(let frame):
      writer.number(frame.kind)
      frame.write(to: &writer)
    case .unknown: break
    }
    return writer.octets
  }

  private static func write(_ hello: Hello, to writer: inout FieldWriter) {
    let profile = hello.profile
    writer.field(Tag.major, number: hello.version.major)
    writer.field(Tag.minor, number: hello.version.minor)
    writer.field(Tag.node, octets: hello.node.octets)
    writer.field(Tag.instance, number: hello.instance)
    writer.field(Tag.name, text: profile.name)
    writer.field(Tag.role, text: profile.role)
    if let colour = profile.colourRGB { writer.field(Tag.colour, number: UInt64(colour)) }
    writer.field(Tag.softwareVersion, text: profile.softwareVersion)
    let limit = NodeProfile.maximumAddresses
    writer.addresses(Tag.controlAddress, profile.controlAddresses, limit: limit)
    writer.addresses(Tag.mediaAddress, profile.mediaAddresses, limit: limit)
    if let loopBack = profile.loopBack { writer.field(Tag.loopBack, octets: loopBack.octets) }
    if hello.attempt != 0 { writer.field(Tag.attempt, number: hello.attempt) }
    if hello.admits { writer.field(Tag.admits, number: 1) }
    if hello.relocates { writer.field(Tag.relocates, number: 1) }
    if profile.isRecording { writer.field(Tag.recording, number: 1) }
    if let people = profile.people { writer.field(Tag.people, number: people.number) }
    if !profile.effect.isEmpty { writer.field(Tag.effect, text: profile.effect) }
  }

  private static func write(_ key: MediaKey, to writer: inout FieldWriter) {
    writer.field(Tag.stream, number: UInt64(clamping: key.stream))
    if key.source != 0 { writer.field(Tag.source, number: UInt64(clamping: key.source)) }
    if !key.sourceName.isEmpty { writer.field(Tag.name, text: key.sourceName) }
    if let colour = key.sourceColourRGB { writer.field(Tag.colour, number: UInt64(colour)) }
    if key.audience != .everyone { writer.field(Tag.audience, octets: key.audience.octets) }
    writer.field(Tag.ssrc, number: UInt64(key.ssrc))
    writer.field(Tag.epoch, number: key.epoch)
    writer.field(Tag.key, octets: Array(key.octets.prefix(MediaKey.maximumBytes)))
  }

  private static func write(_ heartbeat: Heartbeat, to writer: inout FieldWriter) {
    writer.field(Tag.memberCount, number: UInt64(clamping: heartbeat.memberCount))
    if heartbeat.asks { writer.field(Tag.asks, number: 1) }
    for member in heartbeat.members.prefix(Heartbeat.maximumMembers) {
      var inner = FieldWriter()
      inner.field(Tag.node, octets: member.node.octets)
      inner.field(Tag.instance, number: member.instance)
      inner.addresses(
        Tag.controlAddress, member.addresses, limit: Heartbeat.maximumAddresses)
      writer.field(Tag.member, octets: inner.octets)
    }
  }
}
