/// Whether the CPU's clock is up when sound needs it.
struct GovernorCheck: Check {
  /// The governor of each CPU that has one, by its name such as `cpu0`.
  var governors: [String: String]
  /// What sets the clock, such as `intel_pstate`.
  var driver: String?
}

extension GovernorCheck {
  private static let folder = "/sys/devices/system/cpu"
  /// These choose the clock by themselves; their powersave still rises at once.
  private static let autonomous: Set<String> = ["intel_pstate", "amd-pstate-epp"]

  init(_ system: System) {
    let cpus = system.files.names(in: Self.folder).filter {
      $0.hasPrefix("cpu") && $0.dropFirst(3).allSatisfy(\.isNumber) && $0.count > 3
    }
    governors = [:]
    for cpu in cpus {
      governors[cpu] = system.files.text("\(Self.folder)/\(cpu)/cpufreq/scaling_governor")
    }
    driver = system.files.text("\(Self.folder)/cpu0/cpufreq/scaling_driver")
  }

  var findings: [Finding] {
    guard !governors.isEmpty else {
      return [
        Finding(check: "governor", level: .ok, seen: "the CPU clock is fixed")
      ]
    }
    let slow = governors.filter { $0.value != "performance" }.keys.sorted()
    let names = Set(governors.values).sorted().joined(separator: ", ")
    let seen = "\(names) on \(governors.count) CPUs"
    guard !slow.isEmpty else { return [Finding(check: "governor", level: .ok, seen: seen)] }
    let isSlowest =
      governors.values.contains("powersave") && !Self.autonomous.contains(driver ?? "")
    return [
      Finding(
        check: "governor", level: isSlowest ? .problem : .advice, seen: seen,
        meaning: isSlowest
          ? "The CPU stays at its lowest clock: xruns under any load."
          : "The CPU clock rises only after the load does: wake-ups are late.",
        fix: [
          "echo performance | sudo tee \(Self.folder)/cpu*/cpufreq/scaling_governor",
          "and to keep it, in /etc/tmpfiles.d/comlink-governor.conf: \(Self.line)",
        ],
        repairs: slow.map {
          .set(path: "\(Self.folder)/\($0)/cpufreq/scaling_governor", value: "performance")
        } + [.create(path: "/etc/tmpfiles.d/comlink-governor.conf", contents: "\(Self.line)\n")])
    ]
  }

  /// See tmpfiles.d(5); the file can be removed to take it back.
  private static let line = "w \(folder)/cpu*/cpufreq/scaling_governor - - - - performance"
}
