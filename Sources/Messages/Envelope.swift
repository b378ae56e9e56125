public import Cryptography

/// A message under way: sealed for its readers, signed by its sender, addressed in clear, so that others can keep it
/// for those who are away.
///
/// Layout, numbers with the highest octet first: version (1 octet), the sender's key (32), sequence (8), lifetime in
/// seconds (4), kind of audience (1), its length (1) and octets, count of recipients (1), for each its ID (32), the
/// sequence of the message before this one that the sender then still had for it (8; 0: none), and how long that one
/// had left in seconds (4); count of attachments (1, at most 1), its name (32) and length (4); length of the box (2),
/// the box, and the signature of all that (64).
public struct Envelope: Sendable {
  /// One of those it is for.
  public struct Recipient: Hashable, Sendable {
    /// Who.
    public let node: NodeID
    /// What it has to have before this; 0: nothing.
    public let previous: UInt64
    /// How long that was still to be kept when this was written.
    public let previousLifeSeconds: UInt32
  }

  static let version: UInt8 = 1
  private static let memberKind: UInt8 = 1
  private static let groupKind: UInt8 = 2
  private static let lineKind: UInt8 = 3
  private static let signatureLabel = Array("comlink message 1".utf8) + [0]

  /// The sender's key.
  public let senderKey: PublicKey
  /// Which message it is.
  public let key: MessageKey
  /// How long it is kept for who is away, from its writing on.
  public let lifetimeSeconds: UInt32
  /// Whom it is for.
  public let audience: Audience
  /// For whom, each.
  public let recipients: [Recipient]
  /// Sealed audio that belongs to it.
  public let attachment: Attachment?
  /// What it says, sealed.
  let box: [UInt8]
  /// The whole.
  public let octets: [UInt8]

  /// Takes an envelope from outside: well-formed, within limits, and signed by its sender.
  public init(parsing octets: [UInt8]) throws(MessageFault) {
    guard octets.count <= MessageLimits.envelopeBytes else { throw .oversized }
    var reader = OctetReader(octets)
    guard try reader.number(1) == UInt64(Self.version) else { throw .version }
    senderKey = try reader.key()
    key = MessageKey(sender: NodeID(of: senderKey), sequence: try reader.number(8))
    lifetimeSeconds = UInt32(try reader.number(4))
    audience = try Self.audience(&reader)
    let count = Int(try reader.number(1))
    guard count <= MessageLimits.recipients else { throw .oversized }
    var recipients: [Recipient] = []
    for _ in 0..<count {
      recipients.append(
        Recipient(
          node: try reader.node(), previous: try reader.number(8),
          previousLifeSeconds: UInt32(try reader.number(4))))
    }
    self.recipients = recipients
    attachment = try Self.attachment(&reader)
    box = Array(try reader.bytes(Int(try reader.number(2))))
    let body = Array(octets[..<reader.offset])
    let signature = Array(try reader.bytes(PublicKey.signatureByteCount))
    try reader.end()
    self.octets = octets
    try check()
    let signed = Self.signatureLabel + body
    guard unsafe senderKey.verifies(signature, of: signed.span.bytes) else { throw .forged }
  }

  /// That of an envelope that was checked before; nil: it is too short to be one.
  static func lifetimeSeconds(of octets: [UInt8]) -> UInt32? {
    var reader = OctetReader(octets, at: 1 + PublicKey.byteCount + 8)
    return (try? reader.number(4)).map { UInt32($0) }
  }

  private func check() throws(MessageFault) {
    guard !recipients.isEmpty, Set(recipients.map(\.node)).count == recipients.count,
      !recipients.contains(where: { $0.node == key.sender }),
      MessageLimits.sequences.contains(key.sequence),
      lifetimeSeconds > 0, lifetimeSeconds <= MessageLimits.longestLifetimeSeconds,
      recipients.allSatisfy({ $0.previous < key.sequence }),
      audience != .member || recipients.count == 1
    else { throw .malformed }
  }

  private static func attachment(
    _ reader: inout OctetReader
  ) throws(MessageFault) -> Attachment? {
    let count = try reader.number(1)
    guard count > 0 else { return nil }
    guard count == 1, let name = AudioName(octets: Array(try reader.bytes(AudioName.byteCount))),
      let attachment = Attachment(name: name, byteCount: Int(try reader.number(4)))
    else { throw .malformed }
    return attachment
  }

  private static func audience(_ reader: inout OctetReader) throws(MessageFault) -> Audience {
    let kind = UInt8(try reader.number(1))
    let octets = Array(try reader.bytes(Int(try reader.number(1))))
    switch kind {
    case memberKind:
      guard octets.isEmpty else { throw .malformed }
      return .member
    case groupKind:
      guard let tag = GroupTag(octets: octets) else { throw .malformed }
      return .group(tag)
    case lineKind:
      guard octets.isEmpty else { throw .malformed }
      return .line
    default: return .unknown(kind: kind, octets: octets)
    }
  }

  /// Seals and signs what a node says.
  ///
  /// - Parameters:
  ///   - audienceKey: the recipient's, of a message for one.
  ///   - group: of a message for a group.
  static func write(
    _ content: SealedContent, sequence: UInt64, lifetimeSeconds: UInt32,
    by identity: any MessageIdentity, for recipients: [Recipient], _ way: SealingWay
  ) throws(CryptoError) -> Envelope {
    let key = MessageKey(sender: identity.id, sequence: sequence)
    let plain = content.octets(of: key)
    let box: [UInt8]
    var writer = OctetWriter()
    writer.number(UInt64(version), byteCount: 1)
    writer.bytes(identity.publicKey.bytes)
    writer.number(sequence, byteCount: 8)
    writer.number(UInt64(lifetimeSeconds), byteCount: 4)
    let audience: Audience
    switch way {
    case .member(let audienceKey):
      audience = .member
      box = try audienceKey.seal(plain)
      writer.bytes([memberKind, 0])
    case .group(let group):
      let tag = GroupTag(of: group)
      audience = .group(tag)
      box = group.seal(plain, context: context(key))
      writer.bytes([groupKind, UInt8(tag.octets.count)] + tag.octets)
    case .line(let seal):
      audience = .line
      box = try seal.box(plain, of: key)
      writer.bytes([lineKind, 0])
    }
    writer.number(UInt64(recipients.count), byteCount: 1)
    for recipient in recipients {
      writer.bytes(recipient.node.octets)
      writer.number(recipient.previous, byteCount: 8)
      writer.number(UInt64(recipient.previousLifeSeconds), byteCount: 4)
    }
    let attachment = content.content.attachment
    writer.bytes([attachment == nil ? 0 : 1])
    if let attachment {
      writer.bytes(attachment.name.octets)
      writer.number(UInt64(attachment.byteCount), byteCount: 4)
    }
    writer.number(UInt64(box.count), byteCount: 2)
    writer.bytes(box)
    let signed = signatureLabel + writer.octets
    writer.bytes(try unsafe identity.signature(of: signed.span.bytes))
    return Envelope(
      senderKey: identity.publicKey, key: key, lifetimeSeconds: lifetimeSeconds, audience: audience,
      recipients: recipients, attachment: attachment, box: box, octets: writer.octets)
  }

  private init(
    senderKey: PublicKey, key: MessageKey, lifetimeSeconds: UInt32, audience: Audience,
    recipients: [Recipient], attachment: Attachment?, box: [UInt8], octets: [UInt8]
  ) {
    self.senderKey = senderKey
    self.key = key
    self.lifetimeSeconds = lifetimeSeconds
    self.audience = audience
    self.recipients = recipients
    self.attachment = attachment
    self.box = box
    self.octets = octets
  }

  /// Opens it as one of those it is for.
  ///
  /// - Throws: `unreadable` where it cannot be.
  func open(
    as identity: any MessageIdentity, _ lines: LineBook
  ) throws(MessageFault) -> (Conversation, SealedContent) {
    switch audience {
    case .member:
      guard let plain = identity.open(box) else { throw .unreadable }
      return (.member(key.sender), try SealedContent(plain, of: key, with: attachment))
    case .group(let tag):
      for group in identity.groups where GroupTag(of: group) == tag {
        guard let plain = group.open(box, context: Self.context(key)) else { continue }
        return (.group(tag), try SealedContent(plain, of: key, with: attachment))
      }
      throw .unreadable
    case .line:
      let (address, plain) = try LineSeal.open(
        box, of: key, for: recipients.map(\.node), as: identity)
      guard let conversation = lines.conversation(of: address, from: key.sender) else {
        throw .unreadable
      }
      return (conversation, try SealedContent(plain, of: key, with: attachment))
    case .unknown: throw .unreadable
    }
  }

  /// What binds a group's box to its message.
  private static func context(_ key: MessageKey) -> [UInt8] {
    var writer = OctetWriter()
    writer.bytes(key.sender.octets)
    writer.number(key.sequence, byteCount: 8)
    return writer.octets
  }
}

/// How a message is sealed.
enum SealingWay {
  case member(PublicKey)
  case group(Group)
  case line(LineSeal)

  /// Whether nobody but its readers may know that there is such a message.
  var isHidden: Bool {
    if case .line(let seal) = self { seal.address.id != nil } else { false }
  }
}

/// Who this node is, and what it can open.
public protocol MessageIdentity: Sendable {
  /// Its ID.
  var id: NodeID { get }
  /// Its key.
  var publicKey: PublicKey { get }
  /// The groups it is in.
  var groups: [Group] { get }
  /// Signs a message as this node.
  func signature(of message: RawSpan) throws(CryptoError) -> [UInt8]
  /// Opens what was sealed to this node (``PublicKey/seal(_:)``); nil: it was not.
  func open(_ box: [UInt8]) -> [UInt8]?
}
