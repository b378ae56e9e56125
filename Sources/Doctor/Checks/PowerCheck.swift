/// Whether the machine gets enough power, and does not get too hot.
struct PowerCheck: Check {
  /// What a Raspberry Pi's firmware tells, as bits: 0…3 now, 16…19 since the start; nil: none.
  var throttled: UInt32?
  /// The hottest sensor, degrees Celsius; nil: none.
  var celsius: Int?
}

extension PowerCheck {
  private static let undervoltage: UInt32 = 0x1_0001
  private static let slowed: UInt32 = 0xE_000E
  private static let now: UInt32 = 0xF
  private static let isHot = 80

  init(_ system: System) {
    let text = system.files.text("/sys/devices/platform/soc/soc:firmware/get_throttled")
    throttled = text.flatMap {
      UInt32($0.hasPrefix("0x") ? String($0.dropFirst(2)) : $0, radix: 16)
    }
    let folder = "/sys/class/thermal"
    let zones = system.files.names(in: folder).filter { $0.hasPrefix("thermal_zone") }
    celsius = zones.compactMap { system.files.number("\(folder)/\($0)/temp") }.max().map {
      $0 / 1000
    }
  }

  var findings: [Finding] { power + heat }

  private var power: [Finding] {
    guard let throttled else { return [] }
    let seen = "get_throttled 0x\(String(throttled, radix: 16))"
    if throttled & Self.undervoltage != 0 {
      return [
        Finding(
          check: "power", level: .problem,
          seen: "under-voltage \(Self.when(throttled & Self.undervoltage)), \(seen)",
          meaning: "The Pi slows down and USB sound cards drop out.",
          fix: ["use a better power supply and cable: 5.1 V, 3 A (Pi 4) or 5 A (Pi 5)"])
      ]
    }
    guard throttled & Self.slowed != 0 else {
      return [Finding(check: "power", level: .ok, seen: "no under-voltage, not throttled")]
    }
    return [
      Finding(
        check: "power", level: .advice,
        seen: "slowed down \(Self.when(throttled & Self.slowed)), \(seen)",
        meaning: "The Pi got too hot and lowered its clock.", fix: ["fit a heat sink or a fan"])
    ]
  }

  private var heat: [Finding] {
    guard let celsius else { return [] }
    guard celsius >= Self.isHot else {
      return [Finding(check: "heat", level: .ok, seen: "\(celsius) °C")]
    }
    return [
      Finding(
        check: "heat", level: .advice, seen: "\(celsius) °C",
        meaning: "The CPU lowers its clock near this.", fix: ["fit a heat sink or a fan"])
    ]
  }

  private static func when(_ bits: UInt32) -> String { bits & now != 0 ? "now" : "since boot" }
}

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
        meaning: "The kernel stops JACK and the media loop once they have used that up.",
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
