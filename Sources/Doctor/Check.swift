internal import StatusSchema

/// One thing that is looked at: facts, and what they mean.
protocol Check: Sendable {
  /// Reads the facts; what cannot be read is unknown.
  init(_ system: System)

  /// Judges the facts; depends on nothing else.
  var findings: [Finding] { get }
}

/// Where checks read their facts.
struct System: Sendable {
  let files: FileTree
  let probes: KernelProbes
  let patient: Patient
}

extension System {
  private static let unitPaths = ["/etc", "/lib", "/usr/lib"].map {
    "\($0)/systemd/system/comlinkd.service"
  }

  /// Whether the daemon is systemd's service: the one that answers, or, where none does, the one that is installed.
  var isService: Bool {
    guard let process = patient.process else {
      return patient.serviceStatePath != nil && Self.unitPaths.contains(where: files.exists)
    }
    return files.text("/proc/\(process)/cgroup")?.contains("/comlinkd.service") == true
  }

  /// Where the daemon keeps its state, or would; nil: nowhere.
  var statePath: String? {
    if let status = patient.status { return status.node.statePath }
    return isService ? patient.serviceStatePath : patient.statePath
  }
}
