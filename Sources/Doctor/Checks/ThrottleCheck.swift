/// How much of the time real-time threads may run (sched(7)).
struct ThrottleCheck: Check {
  /// kernel.sched_rt_runtime_us; -1: all of it.
  var runtimeMicroseconds: Int?
  /// kernel.sched_rt_period_us.
  var periodMicroseconds: Int?
}

extension ThrottleCheck {
  private static let path = "/proc/sys/kernel/sched_rt_runtime_us"
  private static let usualPeriod = 1_000_000
  /// What kernels come with is 95 %; below that JACK and the media loop may be stopped in mid-period.
  private static let enoughPercent = 95

  init(_ system: System) {
    runtimeMicroseconds = system.files.number(Self.path)
    periodMicroseconds = system.files.number("/proc/sys/kernel/sched_rt_period_us")
  }

  var findings: [Finding] {
    guard let runtimeMicroseconds else { return [] }
    let period = max(1, periodMicroseconds ?? Self.usualPeriod)
    let percent = runtimeMicroseconds < 0 ? 100 : 100 * runtimeMicroseconds / period
    let seen = "real-time threads may run \(percent) % of the time"
    guard percent < Self.enoughPercent else {
      return [Finding(check: "scheduling", level: .ok, seen: seen)]
    }
    let value = period * Self.enoughPercent / 100
    return [
      Finding(
        check: "scheduling", level: percent == 0 ? .problem : .advice, seen: seen,
        meaning: "JACK and the media loop are stopped when they have used that up.",
        fix: [
          "sudo sysctl kernel.sched_rt_runtime_us=\(value)",
          "echo 'kernel.sched_rt_runtime_us = \(value)' | sudo tee /etc/sysctl.d/95-comlink-realtime.conf",
        ],
        repairs: [
          .set(path: Self.path, value: "\(value)"),
          .create(
            path: "/etc/sysctl.d/95-comlink-realtime.conf",
            contents: "kernel.sched_rt_runtime_us = \(value)\n"),
        ])
    ]
  }
}
