import Foundation
import Glibc

/// What a process has used, from /proc.
public struct ProcessUsage: Sendable {
  /// One thread's share.
  public struct Thread: Sendable {
    /// The name it gave itself, at most 15 bytes.
    public var name: String
    /// Time on a processor since it started.
    public var cpuSeconds: Double
    /// Time for which it could have run, and did not, as the processor was another's.
    public var heldUpSeconds: Double
    /// How often it gave the processor up by itself, to wait; as often it was woken.
    public var waits: Int
    /// How often the processor was taken from it.
    public var preemptions: Int

    var contextSwitches: Int { waits + preemptions }
  }

  /// When it was read, nanoseconds of CLOCK_MONOTONIC.
  public var nanoseconds: Int64
  /// Time on a processor of all living threads.
  public var cpuSeconds: Double { threads.reduce(0) { $0 + $1.cpuSeconds } }
  /// Context switches of all living threads, those to wait and those not of their own will.
  public var contextSwitches: (waits: Int, preemptions: Int) {
    threads.reduce((0, 0)) { ($0.0 + $1.waits, $0.1 + $1.preemptions) }
  }
  /// The living threads.
  public var threads: [Thread]
  /// Time on a processor of all threads, those that have ended, too.
  public var processSeconds: Double

  /// Reads it now; nil when there is no such process.
  public init?(of process: Int32) {
    nanoseconds = monotonicNanoseconds()
    threads = Self.threads(of: process)
    guard !threads.isEmpty, let seconds = Self.processSeconds(of: process) else { return nil }
    processSeconds = seconds
  }

  /// Context switches of all living threads a second, since an earlier reading.
  public func contextSwitchesPerSecond(since earlier: ProcessUsage) -> Double {
    let elapsed = Double(nanoseconds - earlier.nanoseconds) / 1e9
    let count = threads.reduce(0) { $0 + $1.contextSwitches }
    let before = earlier.threads.reduce(0) { $0 + $1.contextSwitches }
    return elapsed > 0 ? Double(count - before) / elapsed : .nan
  }

  /// CPU since an earlier reading, percent of one core.
  public func cpuPercent(since earlier: ProcessUsage) -> Double {
    let elapsed = Double(nanoseconds - earlier.nanoseconds) / 1e9
    return elapsed > 0 ? (cpuSeconds - earlier.cpuSeconds) / elapsed * 100 : .nan
  }

  /// Proportional set size in megabytes, with or without mappings whose path has a prefix.
  ///
  /// - Parameter excluding: prefixes of paths to leave out, `/dev/shm/jack` for JACK's own memory.
  public static func proportionalSetMegabytes(
    of process: Int32, excluding prefixes: [String] = []
  ) -> Double? {
    megabytes(["Pss:"], of: process, excluding: prefixes)
  }

  /// Resident set size likewise: unlike the former it does not grow when another program that shares a library ends.
  public static func residentSetMegabytes(
    of process: Int32, excluding prefixes: [String] = []
  ) -> Double? {
    megabytes(["Rss:"], of: process, excluding: prefixes)
  }

  /// What of that was written, so that no file holds it: all that can grow without end.
  ///
  /// Pages of a program and its libraries become resident as they are run for the first time, and are none of it, even
  /// while a program that was just copied is not on the disk yet:
  /// of what is not shared only pages count that are no file's any more.
  public static func writtenMegabytes(
    of process: Int32, excluding prefixes: [String] = []
  ) -> Double? {
    megabytes(
      ["Anonymous:"], ofShared: ["Private_Dirty:", "Shared_Dirty:"], of: process,
      excluding: prefixes)
  }

  /// - Parameter shared: the figures of mappings that are shared; nil: the same as of the others.
  private static func megabytes(
    _ figures: [String], ofShared shared: [String]? = nil, of process: Int32,
    excluding prefixes: [String]
  ) -> Double? {
    guard let maps = text(ofFile: "/proc/\(process)/smaps") else { return nil }
    var kilobytes = 0.0
    var (isCounted, isShared) = (true, false)
    for line in maps.split(separator: "\n") {
      let words = line.split(separator: " ", omittingEmptySubsequences: true)
      guard let first = words.first else { continue }
      if (isShared ? shared ?? figures : figures).contains(String(first)) {
        if isCounted, words.count > 1 { kilobytes += Double(words[1]) ?? 0 }
      } else if !first.hasSuffix(":") {
        let path = words.count > 5 ? words[5] : ""
        isCounted = !prefixes.contains { path.hasPrefix($0) }
        isShared = words.count > 1 && words[1].hasSuffix("s")
      }
    }
    return kilobytes / 1024
  }

  /// Descriptors it has open; nil when there is no such process.
  public static func descriptorCount(of process: Int32) -> Int? {
    try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd").count
  }

  private static func processSeconds(of process: Int32) -> Double? {
    var (clock, time) = (clockid_t(), timespec())
    guard unsafe clock_getcpuclockid(process, &clock) == 0, unsafe clock_gettime(clock, &time) == 0
    else { return nil }
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  private static func threads(of process: Int32) -> [Thread] {
    guard let folder = unsafe opendir("/proc/\(process)/task") else { return [] }
    defer { unsafe closedir(folder) }
    var result: [Thread] = []
    while let entry = unsafe readdir(folder) {
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      guard Int(name) != nil else { continue }
      let path = "/proc/\(process)/task/\(name)"
      guard let times = schedulerSeconds("\(path)/schedstat"),
        let label = text(ofFile: "\(path)/comm"),
        let status = text(ofFile: "\(path)/status")
      else { continue }
      result.append(
        Thread(
          name: String(label.dropLast()), cpuSeconds: times.running,
          heldUpSeconds: times.waiting,
          waits: number("voluntary_ctxt_switches", in: status),
          preemptions: number("nonvoluntary_ctxt_switches", in: status)))
    }
    return result
  }

  private static func number(_ key: String, in status: String) -> Int {
    let line = status.split(separator: "\n").first { $0.hasPrefix("\(key):") }
    return line.flatMap { Int($0.split(separator: "\t").last ?? "") } ?? 0
  }

  /// A schedstat file's times on a processor, where stat counts hundredths of a second, and in its queue.
  private static func schedulerSeconds(_ path: String) -> (running: Double, waiting: Double)? {
    let fields = text(ofFile: path)?.split(separator: " ").prefix(2).compactMap { Double($0) } ?? []
    return fields.count == 2 ? (fields[0] / 1e9, fields[1] / 1e9) : nil
  }
}
