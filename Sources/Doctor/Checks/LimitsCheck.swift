internal import StatusSchema

/// Whether the daemon may run in real time and lock its memory; without a daemon, whether this user could.
///
/// A service that does not answer has limits of its own, of which nothing is seen here.
struct LimitsCheck: Check {
  /// Of a daemon that runs: `fifo 55` or `other`.
  var scheduling: String?
  /// Of a daemon that runs.
  var isMemoryLocked: Bool?
  /// Of the daemon's process; nil: none runs, or it does not tell.
  var daemonLimits: ProcessLimits?
  /// Of this process, that is this user's.
  var ownLimits: ProcessLimits?
  var userName: String
  /// Whom no limits bind.
  var isRoot: Bool
  /// Whether this user was in the group `audio` at login; nil: there is no such group.
  var isInAudio: Bool?
  /// Whether the daemon is the service, whose limits are not this user's.
  var isService = false
}

extension LimitsCheck {
  /// What JACK is started with here; the media loop stays below it.
  private static let neededPriority: UInt64 = 70
  /// The daemon idles at 15 MB beyond JACK's mapping; peers and jitter buffers add to that.
  private static let neededLockedBytes: UInt64 = 128 << 20

  init(_ system: System) {
    let patient = system.patient
    scheduling = patient.status?.loop.scheduling
    isMemoryLocked = patient.status?.loop.memoryLocked
    let limits = { (process: String) in
      system.files.text("/proc/\(process)/limits").flatMap { ProcessLimits($0) }
    }
    daemonLimits = patient.process.flatMap { limits("\($0)") }
    ownLimits = limits("self")
    userName = patient.userName
    isRoot = patient.userID == 0
    isInAudio = Self.isInAudio(system.files)
    isService = system.isService
  }

  var findings: [Finding] { isService && scheduling == nil ? [] : [realtime, memory] + group }

  private var realtime: Finding {
    if let scheduling {
      let limit = daemonLimits.map { ", limit rtprio \($0.realtimePriority)" } ?? ""
      let seen = "the media loop runs as \(scheduling)\(limit)"
      if scheduling.hasPrefix("fifo") { return Finding(check: "rtprio", level: .ok, seen: seen) }
      return problem("rtprio", seen: seen, meaning: Self.realtimeMeaning)
    }
    guard !isRoot, let priority = ownLimits?.realtimePriority else {
      return Finding(check: "rtprio", level: .ok, seen: isRoot ? "root is not limited" : "unknown")
    }
    let seen = "\(userName) may use real-time priority \(priority)"
    guard priority < Self.neededPriority else {
      return Finding(check: "rtprio", level: .ok, seen: seen)
    }
    return problem("rtprio", seen: seen, meaning: Self.realtimeMeaning)
  }

  private var memory: Finding {
    if let isMemoryLocked {
      let seen = "the daemon's memory is \(isMemoryLocked ? "locked" : "not locked")"
      if isMemoryLocked { return Finding(check: "memlock", level: .ok, seen: seen) }
      return problem("memlock", seen: seen, meaning: Self.memoryMeaning)
    }
    guard !isRoot, let bytes = ownLimits?.lockedBytes else {
      return Finding(check: "memlock", level: .ok, seen: isRoot ? "root is not limited" : "unknown")
    }
    let shown = bytes == .max ? "all memory" : "\(bytes >> 10) KiB"
    let seen = "\(userName) may lock \(shown)"
    guard bytes < Self.neededLockedBytes else {
      return Finding(check: "memlock", level: .ok, seen: seen)
    }
    return problem("memlock", seen: seen, meaning: Self.memoryMeaning)
  }

  /// Nothing about root, and nothing where the daemon has what it wants by other means, such as its unit.
  private var group: [Finding] {
    guard !isRoot, !isService, scheduling?.hasPrefix("fifo") != true, let isInAudio else {
      return []
    }
    let seen = "\(userName) is \(isInAudio ? "" : "not ")in the group audio"
    if isInAudio { return [Finding(check: "group", level: .ok, seen: seen)] }
    return [
      Finding(
        check: "group", level: .problem, seen: seen,
        meaning: "Sound cards and real-time scheduling are for that group only.",
        fix: ["sudo usermod -aG audio \(userName), then log out and in again"])
    ]
  }

  private static let realtimeMeaning =
    "Audio drops out when the machine is busy."
  private static let memoryMeaning =
    "Audio drops out when memory is short and the daemon is paged out."

  private func problem(_ check: String, seen: String, meaning: String) -> Finding {
    Finding(
      check: check, level: .problem, seen: seen, meaning: meaning,
      fix: ["in \(LimitsFile.path): \(LimitsFile.lines.joined(separator: " and "))"]
        + [
          "sudo usermod -aG audio \(isRoot ? "USER" : userName), log out and in again, restart comlinkd; "
            + "for a systemd service: LimitRTPRIO=75, LimitMEMLOCK=infinity"
        ],
      repairs: [
        .create(
          path: LimitsFile.path, contents: LimitsFile.lines.map { "\($0)\n" }.joined())
      ])
  }

  private static func isInAudio(_ files: FileTree) -> Bool? {
    let entry = files.lines("/etc/group").first { $0.hasPrefix("audio:") }
    let groups = files.lines("/proc/self/status").first { $0.hasPrefix("Groups:") }
    guard
      let number = entry?.split(separator: ":", omittingEmptySubsequences: false).dropFirst(2).first
    else { return nil }
    return groups?.dropFirst("Groups:".count).split { $0 == " " || $0 == "\t" }.contains(number)
  }
}

/// The limits of a process that sound depends on (`/proc/PID/limits`, proc(5)).
struct ProcessLimits: Hashable, Sendable {
  /// The highest real-time priority it may ask for.
  var realtimePriority: UInt64
  /// How much memory it may lock, bytes; `.max`: all.
  var lockedBytes: UInt64

  /// Limits given; for tests.
  init(realtimePriority: UInt64, lockedBytes: UInt64) {
    (self.realtimePriority, self.lockedBytes) = (realtimePriority, lockedBytes)
  }

  /// The soft limits in the text of such a file; nil: it is none.
  init?(_ text: String) {
    guard let priority = Self.value("Max realtime priority", in: text),
      let locked = Self.value("Max locked memory", in: text)
    else { return nil }
    (realtimePriority, lockedBytes) = (priority, locked)
  }

  private static func value(_ name: String, in text: String) -> UInt64? {
    guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix(name) }) else {
      return nil
    }
    let soft = line.dropFirst(name.count).split(separator: " ").first
    return soft == "unlimited" ? .max : soft.flatMap { UInt64($0) }
  }
}

/// What gives the group `audio` real-time scheduling and locked memory (pam_limits(8)).
public enum LimitsFile {
  /// Where PAM reads it.
  public static let path = "/etc/security/limits.d/95-comlink.conf"
  /// Its lines.
  public static let lines = ["@audio - rtprio 75", "@audio - memlock unlimited"]
}
