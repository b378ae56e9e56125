/// Whether a time service keeps the clock.
struct ClockCheck: Check {
  /// Nil: unknown.
  var isSynchronised: Bool?
}

extension ClockCheck {
  init(_ system: System) { isSynchronised = system.probes.isClockSynchronised() }

  var findings: [Finding] {
    guard isSynchronised == false else {
      let seen = isSynchronised == true ? "kept by a time service" : "unknown"
      return [Finding(check: "clock", level: .ok, seen: seen)]
    }
    return [
      Finding(
        check: "clock", level: .advice, seen: "not kept by a time service",
        meaning: "Sound does not need it, but the times in logs of two boxes cannot be compared.",
        fix: ["sudo timedatectl set-ntp true, or: sudo apt install systemd-timesyncd"])
    ]
  }
}
