import Foundation
import Glibc
import Synchronization
import Testing

@testable import EventLoop

/// Counts the loop thread's allocations: this test program is run once more, with a counting malloc
/// put before the C library's.
@Suite(.enabled(if: !hasSanitizer, "a sanitizer has its own malloc"))
struct AllocationTests {
  @Test("a wake-up with datagrams, sends, a moved deadline and a resumed task allocates nothing")
  func steadyState() async throws {
    if let watch = AllocationWatch() {
      try await measure(watch)
    } else {
      try runCounted()
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
    try "measured".write(toFile: watch.reportPath, atomically: true, encoding: .utf8)
  }

  private func runCounted() throws {
    let folder = NSTemporaryDirectory() + "comlink-allocations-\(getpid())"
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try countingMalloc.write(toFile: folder + "/count.c", atomically: true, encoding: .utf8)
    let library = folder + "/count.so"
    let compile = ["clang", "-shared", "-fPIC", "-O2", "-o", library, folder + "/count.c"]
    try #require(run("/usr/bin/env", compile, [:]) == 0)
    let arguments = ["--testing-library", "swift-testing", "--filter", "AllocationTests"]
    let report = folder + "/report"
    let environment = ["LD_PRELOAD": library, AllocationWatch.reportVariable: report]
    let status = try run("/proc/self/exe", arguments, environment)
    #expect(status == 0, "its own report stands above")
    #expect(FileManager.default.fileExists(atPath: report), "it did measure")
  }

  private func run(
    _ path: String, _ arguments: [String], _ environment: [String: String]
  ) throws -> Int32 {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path).resolvingSymlinksInPath()
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus
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

  func woke(nowNanoseconds: Int64) -> Int64 {
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

/// The counting malloc's two entries; nil: it is not loaded.
private struct AllocationWatch: Sendable {
  static let reportVariable = "COMLINK_ALLOCATION_REPORT"
  /// The file that proves that the measurement was made.
  let reportPath: String
  private let setWatched: @convention(c) @Sendable (Int32) -> Void
  private let readCount: @convention(c) @Sendable () -> Int

  init?() {
    guard let path = ProcessInfo.processInfo.environment[Self.reportVariable],
      let setter = unsafe dlsym(nil, "comlink_watch_thread"),
      let reader = unsafe dlsym(nil, "comlink_allocations")
    else { return nil }
    reportPath = path
    setWatched = unsafe unsafeBitCast(setter, to: (@convention(c) @Sendable (Int32) -> Void).self)
    readCount = unsafe unsafeBitCast(reader, to: (@convention(c) @Sendable () -> Int).self)
  }

  /// Counts the calling thread's allocations from now on.
  func begin() { setWatched(1) }

  var count: Int { readCount() }
}

private let hasSanitizer =
  unsafe dlsym(nil, "__tsan_init") != nil || dlsym(nil, "__asan_init") != nil

private let countingMalloc = """
  #include <stdatomic.h>
  #include <stddef.h>
  extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
  extern void *__libc_memalign(size_t, size_t);
  static _Thread_local int is_watched __attribute__((tls_model("initial-exec")));
  static _Atomic long allocations;
  void comlink_watch_thread(int on) { is_watched = on; }
  long comlink_allocations(void) { return allocations; }
  static void note(void) { if (is_watched) allocations++; }
  void *malloc(size_t n) { note(); return __libc_malloc(n); }
  void *calloc(size_t n, size_t m) { note(); return __libc_calloc(n, m); }
  void *realloc(void *p, size_t n) { note(); return __libc_realloc(p, n); }
  void *memalign(size_t a, size_t n) { note(); return __libc_memalign(a, n); }
  void *aligned_alloc(size_t a, size_t n) { note(); return __libc_memalign(a, n); }
  int posix_memalign(void **p, size_t a, size_t n) { note(); return (*p = __libc_memalign(a, n)) ? 0 : 12; }
  """
