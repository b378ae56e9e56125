import Foundation
import Glibc
import Synchronization
import TestKit
import Testing

@testable import EventLoop

/// Counts the loop thread's allocations: this test program is run once more, with a counting malloc
/// put before the C library's.
@Suite(.enabled(if: !AllocationWatch.hasSanitizer, "a sanitizer has its own malloc"))
struct AllocationTests {
  @Test
  func `a wake-up with datagrams, sends, a moved deadline and a resumed task allocates nothing`()
    async throws
  {
    if let watch = AllocationWatch() {
      try await measure(watch)
    } else {
      #expect(try AllocationWatch.runCounted("EventLoopTests.AllocationTests"))
    }
  }

  private func measure(_ watch: AllocationWatch) async throws {
    let loop = try EventLoop()
    let endpoint = try UDPEndpoint(loop: loop, bindingTo: .loopback(port: 0))
    let far = try PlainSocket()
    let handler = BusyHandler(
      loop: loop, endpoint: endpoint, destination: far.address, watch: watch)
    loop.setHandler(handler)
    try loop.start()
    defer { loop.stop() }
    let task = Task(executorPreference: loop) {
      while !Task.isCancelled { await handler.nextWake() }
    }
    for _ in 0..<600 {
      for _ in 0..<3 { far.send([1, 2, 3, 4], to: endpoint.localAddress) }
      try #require(await loop.beatAndWait())
    }
    #expect(loop.statistics.datagramsIn == 1800)
    #expect(loop.statistics.wakes < 700, "it does not spin")
    #expect(loop.statistics.datagramsOut > 3000)
    #expect(handler.resumptions.load(ordering: .relaxed) > 400)
    let counts = handler.counts.withLock { $0 }
    #expect(counts.count > 400)
    #expect(counts.first ?? 0 > 0, "the counter sees the one planted allocation")
    #expect(counts.last == counts[100], "\(counts)")
    task.cancel()
    loop.beat()
    await task.value
    try watch.report()
  }
}

/// Does at each wake-up what the media loop does, and notes how often its thread has allocated so
/// far.
@safe
private final class BusyHandler: EventLoopHandler, Sendable {
  let counts = Guarded<[Int]>([])
  let resumptions = Atomic<Int>(0)
  private let waiting = unsafe Guarded<UnsafeContinuation<Void, Never>?>(nil)
  private let loop: EventLoop
  private let endpoint: UDPEndpoint
  private let destination: SocketAddress
  private let watch: AllocationWatch

  init(
    loop: EventLoop, endpoint: UDPEndpoint, destination: SocketAddress, watch: AllocationWatch
  ) {
    self.loop = loop
    self.endpoint = endpoint
    self.destination = destination
    self.watch = watch
    counts.withLock { $0.reserveCapacity(10_000) }
  }

  func datagramReceived(
    _ bytes: RawSpan, from source: SocketAddress, arrivalNanoseconds: Int64
  ) {
    reply(byteCount: bytes.byteCount, to: source)
  }

  func woke(at wokenNanoseconds: Int64, nowNanoseconds: Int64) -> Int64 {
    if counts.withLock({ $0.isEmpty }) {
      watch.begin()
      unsafe UnsafeMutableRawPointer.allocate(byteCount: 100, alignment: 8).deallocate()
    }
    for _ in 0..<3 { reply(byteCount: 400, to: destination) }
    counts.withLock { if $0.count < 10_000 { $0.append(watch.count) } }
    unsafe waiting.withLock { unsafe $0.take() }?.resume()
    return nowNanoseconds + 3_600_000_000_000
  }

  func nextWake() async {
    await unsafe withUnsafeContinuation { continuation in
      unsafe waiting.withLock { unsafe $0 = continuation }
    }
    resumptions.wrappingAdd(1, ordering: .relaxed)
  }

  private func reply(byteCount: Int, to destination: SocketAddress) {
    let packet = endpoint.makePacket { bytes in
      bytes.storeBytes(of: 0x80, toByteOffset: 0, as: UInt8.self)
      return byteCount
    }
    if let packet { endpoint.send(packet, to: destination) }
  }
}
