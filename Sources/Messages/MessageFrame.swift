internal import Cryptography

/// What nodes say to each other on the lane's channel of text: one octet of kind, then the rest.
enum MessageFrame {
  /// Who this node is to another: its key, and the groups that both are in.
  case card(Card)
  /// An envelope for the receiver, or to be kept by it.
  case parcel(Parcel)
  /// How far a recipient has what a sender sent it, in the recipient's own word.
  case receipt(Receipt)
  /// Why a parcel was not taken.
  case refusal(Refusal)

  init(parsing octets: [UInt8]) throws(MessageFault) {
    var reader = OctetReader(octets)
    switch try reader.number(1) {
    case 1: self = .card(try Card(&reader))
    case 2: self = .parcel(try Parcel(&reader))
    case 3: self = .receipt(try Receipt(parsing: octets))
    case 4: self = .refusal(try Refusal(&reader))
    default: throw .malformed
    }
  }

  var octets: [UInt8] {
    switch self {
    case .card(let card): card.octets
    case .parcel(let parcel): parcel.octets
    case .receipt(let receipt): receipt.octets
    case .refusal(let refusal): refusal.octets
    }
  }
}

/// Kind 1: version (1), key (32), count (1) of groups, for each what says to the receiver that the sender is in it
/// (16).
struct Card {
  static let version: UInt8 = 1
  let key: PublicKey
  let memberTags: [[UInt8]]

  init(of identity: any MessageIdentity, to other: NodeID) {
    key = identity.publicKey
    memberTags = identity.groups.prefix(MessageLimits.groups).map {
      $0.memberTag(of: identity.id, to: other)
    }
  }

  init(_ reader: inout OctetReader) throws(MessageFault) {
    guard try reader.number(1) == UInt64(Self.version) else { throw .version }
    key = try reader.key()
    let count = Int(try reader.number(1))
    guard count <= MessageLimits.groups else { throw .oversized }
    var tags: [[UInt8]] = []
    for _ in 0..<count { tags.append(Array(try reader.bytes(Group.tagByteCount))) }
    memberTags = tags
    try reader.end()
  }

  var octets: [UInt8] {
    [1, Self.version] + key.bytes + [UInt8(memberTags.count)] + memberTags.flatMap { $0 }
  }
}

/// Kind 2: what it is handed over for (1), its age in seconds (4), the envelope.
struct Parcel {
  enum Role: UInt8 {
    /// For the receiver.
    case deliver
    /// To be kept for others.
    case keep
    /// For the receiver, and the first that its sender still has for it.
    case deliverFirst
  }

  let role: Role
  let ageSeconds: UInt32
  let envelope: [UInt8]

  init(role: Role, ageSeconds: UInt32, envelope: [UInt8]) {
    self.role = role
    self.ageSeconds = ageSeconds
    self.envelope = envelope
  }

  init(_ reader: inout OctetReader) throws(MessageFault) {
    guard let role = Role(rawValue: UInt8(try reader.number(1))) else { throw .malformed }
    self.role = role
    ageSeconds = UInt32(try reader.number(4))
    envelope = Array(try reader.bytes(reader.rest))
  }

  var octets: [UInt8] {
    var writer = OctetWriter()
    writer.bytes([2, role.rawValue])
    writer.number(UInt64(ageSeconds), byteCount: 4)
    writer.bytes(envelope)
    return writer.octets
  }
}

/// Kind 3: the recipient's key (32), the sender's ID (32), the sequences up to which the recipient has all (8) and read
/// all (8), and the recipient's signature of that (64).
///
/// Both only ever grow, so it does not matter which of two comes first.
struct Receipt: Hashable {
  private static let signatureLabel = Array("comlink message receipt 1".utf8) + [0]

  let recipient: NodeID
  let sender: NodeID
  let delivered: UInt64
  let read: UInt64
  let octets: [UInt8]

  init(
    of identity: any MessageIdentity, to sender: NodeID, delivered: UInt64, read: UInt64
  ) throws(CryptoError) {
    var writer = OctetWriter()
    writer.bytes([3])
    writer.bytes(identity.publicKey.bytes)
    writer.bytes(sender.octets)
    writer.number(delivered, byteCount: 8)
    writer.number(read, byteCount: 8)
    let signed = Self.signatureLabel + writer.octets
    writer.bytes(try unsafe identity.signature(of: signed.span.bytes))
    recipient = identity.id
    self.sender = sender
    self.delivered = delivered
    self.read = read
    octets = writer.octets
  }

  init(parsing octets: [UInt8]) throws(MessageFault) {
    var reader = OctetReader(octets, at: 1)
    let key = try reader.key()
    recipient = NodeID(of: key)
    sender = try reader.node()
    delivered = try reader.number(8)
    read = try reader.number(8)
    let signed = Self.signatureLabel + octets[..<reader.offset]
    let signature = Array(try reader.bytes(PublicKey.signatureByteCount))
    try reader.end()
    guard read <= delivered, recipient != sender else { throw .malformed }
    guard unsafe key.verifies(signature, of: signed.span.bytes) else { throw .forged }
    self.octets = octets
  }
}

/// Kind 4: the reason (1), the message's sender (32) and sequence (8), and up to where the one who refuses has all (8).
struct Refusal: Hashable {
  let fault: MessageFault
  let key: MessageKey
  let delivered: UInt64

  init(_ fault: MessageFault, _ key: MessageKey, delivered: UInt64) {
    self.fault = fault
    self.key = key
    self.delivered = delivered
  }

  init(_ reader: inout OctetReader) throws(MessageFault) {
    guard let fault = MessageFault(code: UInt8(try reader.number(1))) else { throw .malformed }
    self.fault = fault
    key = MessageKey(sender: try reader.node(), sequence: try reader.number(8))
    delivered = try reader.number(8)
    try reader.end()
    guard MessageLimits.sequences.contains(key.sequence),
      delivered < MessageLimits.sequences.upperBound
    else { throw .malformed }
  }

  var octets: [UInt8] {
    var writer = OctetWriter()
    writer.bytes([4, fault.code])
    writer.bytes(key.sender.octets)
    writer.number(key.sequence, byteCount: 8)
    writer.number(delivered, byteCount: 8)
    return writer.octets
  }
}
