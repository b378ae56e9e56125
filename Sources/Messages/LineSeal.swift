internal import Cryptography

/// How a message for a line is sealed: under a key of its own, which each group that its readers share with the sender
/// gets under the group's secret, and who shares none, or is on a private line, sealed to its own key.
///
/// Layout of the box: count of locks (1 octet), of each its kind (1) and for a member (1) its place among the
/// recipients (1) and the key, sealed (80); for a group (2) its tag (16) and the key, sealed (72); then the rest,
/// sealed under that key: kind of line (1: by its name, 2: private), of a private one its ID (16), length of its name
/// (1), the name, and what is in every box (``SealedContent``).
struct LineSeal {
  enum Lock {
    case group(Group)
    case member(place: Int, PublicKey)
  }

  private static let memberKind: UInt8 = 1
  private static let groupKind: UInt8 = 2
  private static let memberBytes =
    PieceSeal.keyByteCount + PublicKey.boxExtraByteCount
  private static let groupBytes = PieceSeal.keyByteCount + Group.sealExtraByteCount

  let address: LineAddress
  let locks: [Lock]

  func box(_ plain: [UInt8], of key: MessageKey) throws(CryptoError) -> [UInt8] {
    let seal = try PieceSeal()
    var writer = OctetWriter()
    writer.number(UInt64(locks.count), byteCount: 1)
    for lock in locks {
      switch lock {
      case .member(let place, let publicKey):
        writer.bytes([Self.memberKind, UInt8(place)])
        writer.bytes(try publicKey.seal(seal.key))
      case .group(let group):
        writer.bytes([Self.groupKind] + GroupTag(of: group).octets)
        writer.bytes(group.seal(seal.key, context: Self.context(key)))
      }
    }
    writer.bytes(seal.seal(address.octets + plain, number: 0, isLast: true))
    return writer.octets
  }

  /// Opens what ``box(_:of:)`` sealed.
  ///
  /// - Parameter recipients: of the message, in order.
  static func open(
    _ box: [UInt8], of key: MessageKey, for recipients: [NodeID], as identity: any MessageIdentity
  ) throws(MessageFault) -> (LineAddress, plain: [UInt8]) {
    var reader = OctetReader(box)
    var found: [UInt8]?
    // One of each kind that this node could open: whoever writes many keeps nobody busy.
    var tried: Set<[UInt8]> = []
    for _ in 0..<Int(try reader.number(1)) {
      switch UInt8(try reader.number(1)) {
      case memberKind:
        let place = Int(try reader.number(1))
        let sealed = Array(try reader.bytes(memberBytes))
        guard found == nil, recipients.indices.contains(place), recipients[place] == identity.id,
          tried.insert([]).inserted
        else { continue }
        found = identity.open(sealed)
      case groupKind:
        let tag = Array(try reader.bytes(Group.tagByteCount))
        let sealed = Array(try reader.bytes(groupBytes))
        let group = identity.groups.first { $0.tag == tag }
        guard found == nil, let group, tried.insert(tag).inserted else { continue }
        found = group.open(sealed, context: context(key))
      default: throw .malformed
      }
    }
    guard let seal = found.flatMap({ PieceSeal(key: $0) }),
      let inner = seal.open(Array(try reader.bytes(reader.rest)), number: 0, isLast: true)
    else { throw .unreadable }
    var content = OctetReader(inner)
    let address = try LineAddress(&content)
    return (address, Array(try content.bytes(content.rest)))
  }

  /// What binds a sealed key to its message, and to no other box under the group's secret.
  private static func context(_ key: MessageKey) -> [UInt8] {
    var writer = OctetWriter()
    writer.bytes(Array("comlink message line 1".utf8) + [0])
    writer.bytes(key.sender.octets)
    writer.number(key.sequence, byteCount: 8)
    return writer.octets
  }
}

extension LineAddress {
  private static let namedKind: UInt8 = 1
  private static let hiddenKind: UInt8 = 2

  init(_ reader: inout OctetReader) throws(MessageFault) {
    switch UInt8(try reader.number(1)) {
    case Self.namedKind: id = nil
    case Self.hiddenKind: id = Array(try reader.bytes(LineTag.idByteCount))
    default: throw .unreadable
    }
    let count = Int(try reader.number(1))
    guard (1...MessageLimits.lineNameBytes).contains(count),
      let name = String(validating: try reader.bytes(count), as: UTF8.self)
    else { throw .unreadable }
    self.name = name
  }

  var octets: [UInt8] {
    let name = Array(name.utf8.prefix(MessageLimits.lineNameBytes))
    let head = id.map { [Self.hiddenKind] + $0 } ?? [Self.namedKind]
    return head + [UInt8(name.count)] + name
  }
}
