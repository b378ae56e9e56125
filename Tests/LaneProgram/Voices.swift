import Glibc
import Synchronization
import System

/// Voices as the network sees them: datagrams at even times both ways, whose losses and delays are counted.
///
/// Both ends are on one machine, and have one clock.
final class Voices: Sendable {
  /// Of 20 ms each, as long as a voice of 48 kbit/s with all headers but those of IP and UDP.
  private static let (periodNanoseconds, byteCount): (Int64, Int) = (20_000_000, 140)

  /// How datagrams fared.
  struct Fates {
    var received = 0
    var milliseconds: [Int: Int] = [:]
    /// The numbers of the first and the last one.
    var numbers: ClosedRange<UInt64>?

    /// How many of a hundred were lost.
    var lossPercent: Double {
      guard let numbers else { return 100 }
      return 100 * (1 - Double(received) / Double(numbers.upperBound - numbers.lowerBound + 1))
    }

    /// Below how many milliseconds a share of them stayed.
    func milliseconds(below share: Double) -> Int {
      var left = Int(share * Double(received))
      for (milliseconds, count) in milliseconds.sorted(by: { $0.key < $1.key }) {
        left -= count
        if left <= 0 { return milliseconds }
      }
      return milliseconds.keys.max() ?? 0
    }
  }

  private let socket: Int32
  private let fates = Mutex<[Fates]>([Fates()])

  /// Begins: so many voices to a host's port of the same number.
  init(_ count: Int, from own: UInt32, to other: UInt32, port: UInt16) throws {
    socket = Glibc.socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
    let target = Self.address(other, port)
    var address = Self.address(own, port)
    let size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe bind(socket, $0, size)
      }
    }
    precondition(result == 0, "port \(port) is taken")
    // Until the process ends.
    try BlockingThread(name: "speak") { [self] _ in send(count, to: target) }.start()
    try BlockingThread(name: "hear") { [self] _ in receive() }.start()
  }

  /// What comes from now on is counted anew; what came so far.
  func cut() -> Fates {
    fates.withLock { fates in
      fates.append(Fates())
      return fates[fates.count - 2]
    }
  }

  private static func address(_ host: UInt32, _ port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = host.bigEndian
    return address
  }

  private func send(_ count: Int, to target: sockaddr_in) {
    var target = target
    var number: UInt64 = 0
    var next = LaneNode.nowNanoseconds
    while true {
      var bytes = [UInt8](repeating: 0, count: Self.byteCount)
      unsafe bytes.withUnsafeMutableBytes { bytes in
        unsafe bytes.storeBytes(of: number, as: UInt64.self)
        unsafe bytes.storeBytes(of: LaneNode.nowNanoseconds, toByteOffset: 8, as: Int64.self)
      }
      let size = socklen_t(MemoryLayout<sockaddr_in>.size)
      unsafe withUnsafePointer(to: &target) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          unsafe _ = sendto(socket, bytes, bytes.count, 0, $0, size)
        }
      }
      number += 1
      next += Self.periodNanoseconds / Int64(count)
      let wait = next - LaneNode.nowNanoseconds
      if wait > 0 { usleep(UInt32(wait / 1000)) }
    }
  }

  private func receive() {
    var bytes = [UInt8](repeating: 0, count: 2048)
    while true {
      let count = unsafe recv(socket, &bytes, bytes.count, 0)
      guard count == Self.byteCount else { continue }
      let (number, sent) = unsafe bytes.withUnsafeBytes { bytes in
        unsafe (
          bytes.load(as: UInt64.self), bytes.load(fromByteOffset: 8, as: Int64.self)
        )
      }
      let milliseconds = Int((LaneNode.nowNanoseconds - sent) / 1_000_000)
      fates.withLock { fates in
        let last = fates.count - 1
        fates[last].received += 1
        fates[last].milliseconds[milliseconds, default: 0] += 1
        let first = fates[last].numbers?.lowerBound ?? number
        fates[last].numbers = min(first, number)...max(number, first)
      }
    }
  }
}
