import Foundation
import Glibc

/// Counts a thread's allocations: the test program is run once more, with a counting malloc put before the C library's.
public struct AllocationWatch: Sendable {
  private static let reportVariable = "COMLINK_ALLOCATION_REPORT"

  /// Whether a sanitizer has put its own malloc there.
  public static var hasSanitizer: Bool {
    unsafe dlsym(nil, "__tsan_init") != nil || dlsym(nil, "__asan_init") != nil
  }

  private let reportPath: String
  private let setWatched: @convention(c) @Sendable (Int32) -> Void
  private let readCount: @convention(c) @Sendable () -> Int

  /// The counting malloc's two entries; nil: it is not loaded.
  public init?() {
    guard let path = ProcessInfo.processInfo.environment[Self.reportVariable],
      let setter = unsafe dlsym(nil, "comlink_watch_thread"),
      let reader = unsafe dlsym(nil, "comlink_allocations")
    else { return nil }
    reportPath = path
    setWatched = unsafe unsafeBitCast(setter, to: (@convention(c) @Sendable (Int32) -> Void).self)
    readCount = unsafe unsafeBitCast(reader, to: (@convention(c) @Sendable () -> Int).self)
  }

  /// Counts the calling thread's allocations from now on.
  public func begin() { setWatched(1) }

  /// Counts them no longer.
  public func end() { setWatched(0) }

  /// How many there were.
  public var count: Int { readCount() }

  /// Says that the measurement was made.
  public func report() throws {
    try "measured".write(toFile: reportPath, atomically: true, encoding: .utf8)
  }

  /// Runs a suite of this test program with the counting malloc; false: it failed, or measured nothing.
  public static func runCounted(_ suite: String) throws -> Bool {
    let folder = NSTemporaryDirectory() + "comlink-allocations-\(getpid())-\(suite)"
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try countingMalloc.write(toFile: folder + "/count.c", atomically: true, encoding: .utf8)
    let library = folder + "/count.so"
    let compile = ["clang", "-shared", "-fPIC", "-O2", "-o", library, folder + "/count.c"]
    guard try run("/usr/bin/env", compile, [:]) == 0 else { return false }
    let arguments = ["--testing-library", "swift-testing", "--filter", suite]
    let report = folder + "/report"
    let environment = ["LD_PRELOAD": library, reportVariable: report]
    let status = try run("/proc/self/exe", arguments, environment)
    return status == 0 && FileManager.default.fileExists(atPath: report)
  }

  private static func run(
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
