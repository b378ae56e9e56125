import Cryptography
import Glibc

/// Made up nodes, announced as fast as a small machine can hear: multicast DNS messages with PTR, SRV, TXT and A
/// records (RFC 6762 §8.3), of which every other has hostile TXT data.
struct Flood {
  let count: Int
  let address: String

  /// Whether all could be sent.
  func run() -> Bool {
    guard let sender = MulticastSender(address: address) else { return false }
    defer { sender.close() }
    for number in 0..<count {
      guard sender.send(message(number)) else { return false }
      if number % 5 == 0 { usleep(1000) }
    }
    return true
  }

  private func message(_ number: Int) -> [UInt8] {
    let host = ["evil-\(number)", "local"]
    let announcement = DNSRecord.announcement(
      of: ["evil \(number)", "_comlink", "_udp", "local"], at: host, text: text(number))
    let octets = [
      10, 99, UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number),
    ]
    return DNSRecord.message(
      announcement + [DNSRecord(owner: host, kind: .address, data: octets)])
  }

  private func text(_ number: Int) -> [UInt8] {
    var octets = [UInt8](repeating: 0x5A, count: NodeID.byteCount)
    for index in 0..<4 { octets[index] = UInt8(truncatingIfNeeded: number >> (8 * index)) }
    let id = NodeID(octets: octets)?.text ?? ""
    let strings: [[UInt8]] =
      switch number % 8 {
      case 1: [Array("id=\(id)".utf8), Array("name=".utf8) + [UInt8](repeating: 0xFF, count: 200)]
      case 3: [Array("id=\(id)x".utf8)]
      case 5: [Array("id=\(id)".utf8), [UInt8](repeating: 0x3D, count: 255)]
      case 7: [[UInt8]](repeating: [UInt8](repeating: 7, count: 255), count: 4)
      default: [Array("id=\(id)".utf8), Array("name=\u{1B}[2J evil".utf8)]
      }
    return strings.flatMap { [UInt8($0.count)] + $0 }
  }
}
