/// A resource record of a made up announcement (RFC 1035 §3.2.1).
struct DNSRecord {
  enum Kind: UInt16 {
    case address = 1
    case alias = 5
    case pointer = 12
    case text = 16
    case service = 33

    /// Records of which there may be several of one name.
    fileprivate var isShared: Bool { self == .pointer || self == .alias }
  }

  let owner: [String]
  let kind: Kind
  let data: [UInt8]
  var lifetimeSeconds: UInt8 = 120

  /// What says that one name stands for another.
  static func alias(_ owner: [String], of target: [String], lifetimeSeconds: UInt8) -> DNSRecord {
    DNSRecord(
      owner: owner, kind: .alias, data: name(target), lifetimeSeconds: lifetimeSeconds)
  }

  /// What announces an instance of the service: PTR, SRV and TXT.
  static func announcement(
    of instance: [String], at host: [String], text: [UInt8]
  ) -> [DNSRecord] {
    let service = Array(instance.dropFirst())
    return [
      DNSRecord(owner: service, kind: .pointer, data: name(instance)),
      DNSRecord(owner: instance, kind: .service, data: [0, 0, 0, 0, 0x13, 0x88] + name(host)),
      DNSRecord(owner: instance, kind: .text, data: text),
    ]
  }

  /// An authoritative answer to no question.
  static func message(_ records: [DNSRecord]) -> [UInt8] {
    [0, 0, 0x84, 0, 0, 0, 0, UInt8(records.count), 0, 0, 0, 0] + records.flatMap(\.octets)
  }

  private var octets: [UInt8] {
    Self.name(owner) + Self.two(kind.rawValue) + Self.two(kind.isShared ? 1 : 0x8001)
      + [0, 0, 0, lifetimeSeconds] + Self.two(UInt16(data.count)) + data
  }

  private static func two(_ number: UInt16) -> [UInt8] {
    [UInt8(number >> 8), UInt8(number & 255)]
  }

  private static func name(_ labels: [String]) -> [UInt8] {
    labels.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) } + [0]
  }
}
