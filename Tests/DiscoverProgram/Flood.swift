import Cryptography
import Glibc

/// Made up nodes, announced as fast as a small machine can hear: multicast DNS messages with PTR, SRV, TXT and A records
/// (RFC 6762 §8.3), of which every other has hostile TXT data.
struct Flood {
  let count: Int
  let address: String

  /// Whether all could be sent.
  func run() -> Bool {
    let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var one: Int32 = 1
    var hops: Int32 = 255
    var interface = in_addr()
    unsafe inet_aton(address, &interface)
    let size = socklen_t(MemoryLayout<Int32>.size)
    unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, size)
    unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEPORT, &one, size)
    unsafe setsockopt(descriptor, Int32(IPPROTO_IP), IP_MULTICAST_TTL, &hops, size)
    unsafe setsockopt(descriptor, Int32(IPPROTO_IP), IP_MULTICAST_IF, &interface, size)
    var own = Self.socketAddress("0.0.0.0")
    guard unsafe Self.with(&own, { unsafe bind(descriptor, $0, $1) }) == 0 else { return false }
    var group = Self.socketAddress("224.0.0.251")
    for number in 0..<count {
      let message = message(number)
      let sent = unsafe Self.with(&group) {
        unsafe sendto(descriptor, message, message.count, 0, $0, $1)
      }
      guard sent == message.count else { return false }
      if number % 5 == 0 { usleep(1000) }
    }
    return true
  }

  private static func socketAddress(_ host: String) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(5353).bigEndian
    unsafe inet_aton(host, &address.sin_addr)
    return address
  }

  private static func with<Result>(
    _ address: inout sockaddr_in, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
  ) -> Result {
    unsafe withUnsafePointer(to: &address) {
      unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }

  private func message(_ number: Int) -> [UInt8] {
    let service = ["_comlink", "_udp", "local"]
    let instance = ["evil \(number)"] + service
    let host = ["evil-\(number)", "local"]
    let records: [(name: [String], type: UInt16, data: [UInt8])] = [
      (service, 12, name(instance)),
      (instance, 33, [0, 0, 0, 0, 0x13, 0x88] + name(host)),
      (instance, 16, text(number)),
      (
        host, 1,
        [10, 99, UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number)]
      ),
    ]
    // No question; an authoritative answer.
    var message: [UInt8] = [0, 0, 0x84, 0, 0, 0, 0, UInt8(records.count), 0, 0, 0, 0]
    for record in records {
      message += name(record.name) + two(record.type)
      message += two(record.type == 12 ? 1 : 0x8001)
      message += [0, 0, 0, 120]
      message += two(UInt16(record.data.count)) + record.data
    }
    return message
  }

  private func two(_ number: UInt16) -> [UInt8] { [UInt8(number >> 8), UInt8(number & 255)] }

  private func name(_ labels: [String]) -> [UInt8] {
    labels.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) } + [0]
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
