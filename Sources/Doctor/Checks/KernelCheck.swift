/// Whether the kernel is new enough, and gives io_uring to programs.
struct KernelCheck: Check {
  /// As `uname -r` tells it.
  var release: String?
  /// kernel.io_uring_disabled: 0 nobody is refused, 1 all but a group, 2 all.
  var ringDisabled: Int?
  /// Why a ring could not be made just now, in words; nil: one was.
  var ringProblem: String?
  /// Whether the daemon runs, which proves that it has one.
  var isDaemonRunning: Bool
}

extension KernelCheck {
  /// Multishot recvmsg came with it, and the media loop is built on that.
  private static let oldest = (major: 6, minor: 0)

  init(_ system: System) {
    release = system.files.text("/proc/sys/kernel/osrelease")
    ringDisabled = system.files.number("/proc/sys/kernel/io_uring_disabled")
    isDaemonRunning = system.patient.status != nil
    ringProblem = isDaemonRunning ? nil : system.probes.ringProblem()
  }

  var findings: [Finding] { [kernel, ring] }

  private var kernel: Finding {
    guard let release, let version = Self.version(release) else {
      return Finding(
        check: "kernel", level: .advice, seen: "kernel version unknown",
        meaning: "comlinkd needs Linux 6.0 or newer.",
        fix: ["check by hand: uname -r"])
    }
    guard version < Self.oldest else {
      return Finding(check: "kernel", level: .ok, seen: "Linux \(release)")
    }
    return Finding(
      check: "kernel", level: .problem, seen: "Linux \(release)",
      meaning: "comlinkd needs io_uring's multishot recvmsg, new in Linux 6.0.",
      fix: ["upgrade to Debian 12 or newer: sudo apt full-upgrade after changing the release"])
  }

  private var ring: Finding {
    let off: Repair = .set(path: "/proc/sys/kernel/io_uring_disabled", value: "0")
    let file: Repair = .create(
      path: "/etc/sysctl.d/95-comlink-io-uring.conf", contents: "kernel.io_uring_disabled = 0\n")
    if isDaemonRunning {
      return Finding(check: "io_uring", level: .ok, seen: "comlinkd uses it")
    }
    if let ringDisabled, ringDisabled != 0 {
      return Finding(
        check: "io_uring", level: .problem, seen: "kernel.io_uring_disabled = \(ringDisabled)",
        meaning: ringDisabled == 1
          ? "Only root and the group of kernel.io_uring_group may use io_uring: comlinkd does not start for others."
          : "Nobody may use io_uring: comlinkd does not start.",
        fix: [
          "sudo sysctl kernel.io_uring_disabled=0",
          "echo 'kernel.io_uring_disabled = 0' | sudo tee /etc/sysctl.d/95-comlink-io-uring.conf",
        ], repairs: [off, file])
    }
    guard let ringProblem else {
      return Finding(check: "io_uring", level: .ok, seen: "works for this user")
    }
    return Finding(
      check: "io_uring", level: .problem, seen: ringProblem,
      meaning: "comlinkd does not start without io_uring.",
      fix: [
        "allow io_uring in the container's seccomp profile, or raise the limit of locked memory"
      ])
  }

  private static func version(_ release: String) -> (major: Int, minor: Int)? {
    let numbers = release.split { !$0.isNumber }.prefix(2).compactMap { Int($0) }
    return numbers.count == 2 ? (numbers[0], numbers[1]) : nil
  }
}

/// Whether a time service keeps the clock.
struct ClockCheck: Check {
  /// Nil: unknown.
  var isSynchronised: Bool?
}

extension ClockCheck {
  init(_ system: System) { isSynchronised = system.probes.isClockSynchronised() }

  var findings: [Finding] {
    guard isSynchronised == false else {
      let seen = isSynchronised == true ? "synchronised by a time service" : "unknown"
      return [Finding(check: "clock", level: .ok, seen: seen)]
    }
    return [
      Finding(
        check: "clock", level: .advice, seen: "not synchronised by a time service",
        meaning:
          "Audio does not need it, but you cannot compare the times in the logs of two boxes.",
        fix: ["sudo timedatectl set-ntp true, or: sudo apt install systemd-timesyncd"])
    ]
  }
}
