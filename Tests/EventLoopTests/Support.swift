import Glibc
import Testing

@testable import EventLoop

/// Waits, up to a bound far beyond any noise, until a condition holds; false: it never did.
func eventually(_ condition: () -> Bool) async -> Bool {
  let limit = EventLoop.nowNanoseconds() + 20_000_000_000
  while !condition() {
    guard EventLoop.nowNanoseconds() < limit else { return false }
    try? await Task.sleep(for: .milliseconds(1))
  }
  return true
}

extension EventLoop {
  /// Does what the audio thread does once a period.
  func beat() {
    var one: UInt64 = 1
    let written = unsafe write(wakeDescriptor, &one, 8)
    #expect(written == 8)
  }

  /// Beats and waits until that beat's wake-up is over.
  func beatAndWait() async -> Bool {
    let beats = statistics.beats
    let wakes = statistics.wakes
    beat()
    return await eventually { statistics.beats > beats && statistics.wakes > wakes }
  }
}

/// What a handler saw of one datagram.
struct HeardDatagram: Sendable {
  let bytes: [UInt8]
  let source: SocketAddress
  let arrivalNanoseconds: Int64
}

/// Remembers what it is told, and lets a test say what a wake-up does.
final class RecordingHandler: EventLoopHandler, Sendable {
  struct Record: Sendable {
    var datagrams: [HeardDatagram] = []
    var failures: [(destination: SocketAddress, errno: Int32)] = []
    var calls: [Call] = []
  }

  enum Call: Equatable { case datagram, woke, job }

  let record = Guarded(Record())
  private let onWake: @Sendable (Int64) -> Int64
  private let onDatagram: @Sendable () -> Void

  init(
    onWake: @escaping @Sendable (Int64) -> Int64 = { _ in .max },
    onDatagram: @escaping @Sendable () -> Void = {}
  ) {
    self.onDatagram = onDatagram
    self.onWake = onWake
  }

  func datagramReceived(
    _ bytes: RawSpan, from source: SocketAddress, arrivalNanoseconds: Int64
  ) {
    let copy = (0..<bytes.byteCount).map {
      unsafe bytes.unsafeLoad(fromByteOffset: $0, as: UInt8.self)
    }
    record.withLock {
      $0.datagrams.append(
        HeardDatagram(bytes: copy, source: source, arrivalNanoseconds: arrivalNanoseconds))
      $0.calls.append(.datagram)
    }
    onDatagram()
  }

  func woke(at wokenNanoseconds: Int64, nowNanoseconds: Int64) -> Int64 {
    record.withLock { $0.calls.append(.woke) }
    return onWake(nowNanoseconds)
  }

  func sendFailed(to destination: SocketAddress, errno: Int32) {
    record.withLock { $0.failures.append((destination, errno)) }
  }

  /// An array of its own: ThreadSanitizer does not see that reference counts order the threads.
  var datagrams: [HeardDatagram] { record.withLock { $0.datagrams.map { $0 } } }
  var wakeCount: Int { record.withLock { $0.calls.count { $0 == .woke } } }
}

/// Writes bytes to a packet's start; returns how many.
func fill(_ packet: inout MutableRawSpan, _ bytes: [UInt8]) -> Int {
  for (index, byte) in bytes.enumerated() {
    packet.storeBytes(of: byte, toByteOffset: index, as: UInt8.self)
  }
  return bytes.count
}
