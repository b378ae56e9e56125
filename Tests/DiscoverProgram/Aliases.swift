import Cryptography
import Glibc

/// Made up nodes whose hosts are aliases (CNAME) of each other, in rings, in two ways at once and of themselves.
///
/// What follows aliases without end, or loses count of who looks for what when they expire, falls (avahi's issues 501,
/// 678, 683 and its change 941, whose shapes these are).
struct Aliases {
  private static let lifetimeSeconds: UInt8 = 4
  private static let service = ["_comlink", "_udp", "local"]
  private static let rings: [[(String, String)]] = [
    [("x", "x")],
    [("x", "z"), ("x", "a"), ("z", "a"), ("a", "z")],
    [("x", "y"), ("x", "w"), ("y", "v"), ("w", "v")],
    [("x", "z"), ("z", "y"), ("y", "x")],
  ]

  let seconds: Int
  let address: String

  /// Whether all could be sent.
  func run() -> Bool {
    guard let sender = MulticastSender(address: address) else { return false }
    defer { sender.close() }
    for second in stride(from: 0, to: seconds, by: 2) {
      // For a while nothing, so that they expire.
      let messages = second % 16 < 8 ? announcements + aliases : announcements
      guard messages.allSatisfy(sender.send) else { return false }
      usleep(2_000_000)
    }
    return true
  }

  private func host(_ letter: String, _ ring: Int) -> [String] { ["\(letter)\(ring)", "local"] }

  private var announcements: [[UInt8]] {
    Self.rings.indices.map { ring in
      var octets = [UInt8](repeating: 0x5A, count: NodeID.byteCount)
      octets[0] = UInt8(ring)
      let text = Array("id=\(NodeID(octets: octets)?.text ?? "")".utf8)
      return DNSRecord.message(
        DNSRecord.announcement(
          of: ["alias \(ring)"] + Self.service, at: host("x", ring),
          text: [UInt8(text.count)] + text))
    }
  }

  private var aliases: [[UInt8]] {
    let ofHosts = Self.rings.enumerated().map { ring, pairs in
      pairs.map { alias(host($0.0, ring), host($0.1, ring)) }
        + [
          DNSRecord(
            owner: host("v", ring), kind: .address, data: [10, 99, 0, 77],
            lifetimeSeconds: Self.lifetimeSeconds)
        ]
    }
    let ofService = [
      alias(Self.service, ["other"] + Self.service), alias(["other"] + Self.service, Self.service),
    ]
    return (ofHosts + [ofService]).map(DNSRecord.message)
  }

  private func alias(_ owner: [String], _ target: [String]) -> DNSRecord {
    .alias(owner, of: target, lifetimeSeconds: Self.lifetimeSeconds)
  }
}
