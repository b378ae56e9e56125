import Cryptography

extension Message {
  /// Reads a message without its length prefix.
  ///
  /// Of a field that may stand once, the last counts. Unknown types and fields are ignored; so is
  /// what goes beyond a list's limit. Texts are repaired to valid UTF-8, not cleaned of control characters.
  public init(parsing octets: [UInt8]) throws(MeshError) {
    var start = FieldReader(octets, range: octets.indices)
    let type = try start.number()
    var reader = FieldReader(octets, range: start.offset..<octets.endIndex, type: type)
    switch type {
    case Kind.hello: self = .hello(try Self.hello(&reader))
    case Kind.heartbeat: self = .heartbeat(try Self.heartbeat(&reader))
    case Kind.invite: self = .invite
    case Kind.accept: self = .accept
    case Kind.decline: self = .decline(try Self.decline(&reader))
    case Kind.goodbye: self = .goodbye(try Self.goodbye(&reader))
    case Kind.mediaKey: self = .mediaKey(try Self.mediaKey(&reader))
    case Kind.challenge: self = .challenge(try Self.challenge(&reader))
    case Kind.groupProof: self = .groupProof(try Self.groupProof(&reader))
    case Kind.forgotten: self = .forgotten(try Self.forgotten(&reader))
    case Kind.twin: self = .twin(try Self.twin(&reader))
    case Kind.laneResume...Kind.laneRefusal: self = .lane(try LaneFrame(&reader))
    case Kind.streamEnd: self = .streamEnd(try Self.streamEnd(&reader))
    default:
      self = .unknown(type: type)
      return
    }
    while try reader.next() != nil {}
  }

  private static func hello(_ reader: inout FieldReader) throws(MeshError) -> Hello {
    let version = try version(reader)
    var profile = NodeProfile(name: "")
    var (node, instance): (NodeID?, UInt64?)
    var (attempt, admits, relocates): (UInt64?, UInt64?, UInt64?)
    var texts: [UInt64: String] = [:]
    while let field = try reader.next() {
      switch field.tag {
      case Tag.node: node = try reader.node(field)
      case Tag.instance: instance = try reader.number(field)
      case Tag.name, Tag.role, Tag.softwareVersion, Tag.effect:
        texts[field.tag] = try reader.text(field)
      case Tag.colour:
        profile.colourRGB = try colour(field, of: reader)
      case Tag.people: profile.people = People(number: try reader.number(field))
      case Tag.controlAddress: try append(field, of: reader, to: &profile.controlAddresses)
      case Tag.mediaAddress: try append(field, of: reader, to: &profile.mediaAddresses)
      case Tag.loopBack: profile.loopBack = try reader.node(field)
      case Tag.attempt: attempt = try reader.number(field)
      case Tag.admits: admits = try reader.number(field)
      case Tag.relocates: relocates = try reader.number(field)
      case Tag.recording: profile.isRecording = try reader.number(field) != 0
      default: break
      }
    }
    profile.name = texts[Tag.name] ?? ""
    profile.role = texts[Tag.role] ?? ""
    profile.softwareVersion = texts[Tag.softwareVersion] ?? ""
    profile.effect = texts[Tag.effect] ?? ""
    return Hello(
      version: version, node: try reader.required(node, Tag.node),
      instance: try reader.required(instance, Tag.instance), profile: profile,
      attempt: attempt ?? 0, admits: (admits ?? 0) != 0, relocates: (relocates ?? 0) != 0)
  }

  /// The version comes before everything else: of another major one nothing else can be understood.
  private static func version(_ reader: FieldReader) throws(MeshError) -> MessageVersion {
    var reader = reader
    var (major, minor): (UInt64?, UInt64?)
    while let field = try reader.next() {
      if field.tag == Tag.major { major = try reader.number(field) }
      if field.tag == Tag.minor { minor = try reader.number(field) }
    }
    let version = MessageVersion(
      major: try reader.required(major, Tag.major), minor: minor ?? 0)
    guard version.major == MessageVersion.current.major else {
      throw .version(major: version.major, minor: version.minor)
    }
    return version
  }

  private static func heartbeat(_ reader: inout FieldReader) throws(MeshError) -> Heartbeat {
    var heartbeat = Heartbeat()
    var memberCount: UInt64?
    while let field = try reader.next() {
      switch field.tag {
      case Tag.memberCount: memberCount = try reader.number(field)
      case Tag.member where heartbeat.members.count < Heartbeat.maximumMembers:
        heartbeat.members.append(try notice(field, of: reader))
      case Tag.asks: heartbeat.asks = try reader.number(field) != 0
      default: break
      }
    }
    heartbeat.memberCount = Int(clamping: memberCount ?? 0)
    return heartbeat
  }

  private static func notice(
    _ field: FieldReader.Field, of reader: FieldReader
  ) throws(MeshError) -> NodeRecord {
    var inner = FieldReader(reader.octets, range: field.value, type: reader.type)
    var (node, instance): (NodeID?, UInt64?)
    var addresses: [NodeAddress] = []
    while let field = try inner.next() {
      switch field.tag {
      case Tag.node: node = try inner.node(field)
      case Tag.instance: instance = try inner.number(field)
      case Tag.controlAddress where addresses.count < Heartbeat.maximumAddresses:
        try append(field, of: inner, to: &addresses)
      default: break
      }
    }
    return NodeRecord(
      node: try inner.required(node, Tag.node),
      instance: try inner.required(instance, Tag.instance), addresses: addresses)
  }

  private static func goodbye(_ reader: inout FieldReader) throws(MeshError) -> Goodbye {
    var (node, instance): (NodeID?, UInt64?)
    var words: String?
    while let field = try reader.next() {
      switch field.tag {
      case Tag.node: node = try reader.node(field)
      case Tag.instance: instance = try reader.number(field)
      case Tag.words: words = try reader.text(field)
      default: break
      }
    }
    return Goodbye(
      node: try reader.required(node, Tag.node),
      instance: try reader.required(instance, Tag.instance), words: words ?? "")
  }

  private static func mediaKey(_ reader: inout FieldReader) throws(MeshError) -> MediaKey {
    var (stream, source, epoch): (Int?, Int, UInt64?) = (nil, 0, nil)
    var audience = StreamAudience.everyone
    var (name, ssrc, key): (String, UInt32?, [UInt8]?) = ("", nil, nil)
    var shown: UInt32?
    while let field = try reader.next() {
      switch field.tag {
      case Tag.stream: stream = try index(field, of: reader, below: MediaKey.maximumStreams)
      case Tag.source: source = try index(field, of: reader, below: MediaKey.maximumSources)
      case Tag.name: name = try reader.text(field)
      case Tag.colour: shown = try colour(field, of: reader)
      case Tag.audience:
        guard field.value.count <= StreamAudience.maximumBytes else {
          throw reader.wrong(field.tag)
        }
        audience = StreamAudience(octets: Array(reader.octets[field.value]))
      case Tag.ssrc: ssrc = UInt32(try index(field, of: reader, below: 1 << 32))
      case Tag.epoch: epoch = try reader.number(field)
      case Tag.key: key = Array(reader.octets[field.value])
      default: break
      }
    }
    let octets = try reader.required(key, Tag.key)
    guard octets.count <= MediaKey.maximumBytes else { throw reader.wrong(Tag.key) }
    var told = MediaKey(
      stream: try reader.required(stream, Tag.stream), source: source, sourceName: name,
      audience: audience, ssrc: try reader.required(ssrc, Tag.ssrc),
      epoch: try reader.required(epoch, Tag.epoch), octets: octets)
    told.sourceColourRGB = shown
    return told
  }

  private static func colour(
    _ field: FieldReader.Field, of reader: FieldReader
  ) throws(MeshError) -> UInt32 {
    UInt32(truncatingIfNeeded: try reader.number(field) & 0xFF_FFFF)
  }

  private static func streamEnd(_ reader: inout FieldReader) throws(MeshError) -> StreamEnd {
    var stream: Int?
    while let field = try reader.next() {
      guard field.tag == Tag.stream else { continue }
      stream = try index(field, of: reader, below: MediaKey.maximumStreams)
    }
    return StreamEnd(stream: try reader.required(stream, Tag.stream))
  }

  private static func index(
    _ field: FieldReader.Field, of reader: FieldReader, below limit: Int
  ) throws(MeshError) -> Int {
    let number = try reader.number(field)
    guard number < UInt64(limit) else { throw reader.wrong(field.tag) }
    return Int(number)
  }

  private static func challenge(_ reader: inout FieldReader) throws(MeshError) -> Challenge {
    var nonce: [UInt8]?
    while let field = try reader.next() {
      guard field.tag == Tag.nonce else { continue }
      guard field.value.count == Challenge.nonceBytes else { throw reader.wrong(Tag.nonce) }
      nonce = Array(reader.octets[field.value])
    }
    return Challenge(nonce: try reader.required(nonce, Tag.nonce))
  }

  private static func groupProof(_ reader: inout FieldReader) throws(MeshError) -> GroupProof {
    var proof = GroupProof()
    while let field = try reader.next() {
      guard field.tag == Tag.code else { continue }
      guard field.value.count == GroupProof.codeBytes else { throw reader.wrong(Tag.code) }
      guard proof.codes.count < GroupProof.maximumCodes else { continue }
      proof.codes.append(Array(reader.octets[field.value]))
    }
    return proof
  }

  private static func decline(_ reader: inout FieldReader) throws(MeshError) -> Decline {
    var decline = Decline(words: "")
    while let field = try reader.next() {
      switch field.tag {
      case Tag.words: decline.words = try reader.text(field)
      case Tag.instance: decline.latestInstance = try reader.number(field)
      default: break
      }
    }
    return decline
  }

  private static func forgotten(
    _ reader: inout FieldReader
  ) throws(MeshError) -> ForgottenNodes {
    var forgotten = ForgottenNodes(nodes: [])
    while let field = try reader.next() {
      guard field.tag == Tag.forgottenNode,
        forgotten.nodes.count < ForgottenNodes.maximumNodes
      else { continue }
      let notice = try notice(field, of: reader)
      forgotten.nodes.append(
        MeshMemory.Forgotten(node: notice.node, instance: notice.instance))
    }
    return forgotten
  }

  private static func twin(_ reader: inout FieldReader) throws(MeshError) -> Twin {
    var instance: UInt64?
    while let field = try reader.next() {
      if field.tag == Tag.instance { instance = try reader.number(field) }
    }
    return Twin(instance: try reader.required(instance, Tag.instance))
  }

  private static func append(
    _ field: FieldReader.Field, of reader: FieldReader, to addresses: inout [NodeAddress]
  ) throws(MeshError) {
    guard addresses.count < NodeProfile.maximumAddresses else { return }
    if let address = try reader.address(field) { addresses.append(address) }
  }
}
