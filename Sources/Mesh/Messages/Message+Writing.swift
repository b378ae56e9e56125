import Cryptography

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
    case .goodbye(let goodbye):
      writer.number(Kind.goodbye)
      writer.field(Tag.node, octets: goodbye.node.octets)
      writer.field(Tag.instance, number: goodbye.instance)
      writer.field(Tag.words, text: goodbye.words)
    case .mediaKey(let key):
      writer.number(Kind.mediaKey)
      writer.field(Tag.stream, number: UInt64(clamping: key.stream))
      writer.field(Tag.epoch, number: key.epoch)
      writer.field(Tag.key, octets: Array(key.octets.prefix(MediaKey.maximumBytes)))
    case .challenge(let challenge):
      writer.number(Kind.challenge)
      writer.field(Tag.nonce, octets: challenge.nonce)
    case .groupProof(let proof):
      writer.number(Kind.groupProof)
      for code in proof.codes.prefix(GroupProof.maximumCodes) {
        writer.field(Tag.code, octets: code)
      }
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
  }

  private static func write(_ heartbeat: Heartbeat, to writer: inout FieldWriter) {
    writer.field(Tag.memberCount, number: UInt64(clamping: heartbeat.memberCount))
    if heartbeat.asks { writer.field(Tag.asks, number: 1) }
    for member in heartbeat.members.prefix(Heartbeat.maximumMembers) {
      var inner = FieldWriter()
      inner.field(Tag.node, octets: member.node.octets)
      inner.field(Tag.instance, number: member.instance)
      inner.addresses(
        Tag.controlAddress, member.addresses, limit: Heartbeat.Notice.maximumAddresses)
      writer.field(Tag.member, octets: inner.octets)
    }
  }
}
