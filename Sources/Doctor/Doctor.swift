public import StatusSchema

/// Looks for what keeps a machine from carrying voices well: permissions, kernel, JACK, radio, network, clock, disk.
///
/// Each check reads its facts from the system and judges them apart from that (``Check``).
public struct Doctor: Sendable {
  private let system: System

  /// A doctor for this machine.
  public init(patient: Patient) {
    system = System(files: FileTree(root: ""), probes: .ofThisKernel, patient: patient)
  }

  /// A doctor for another system; for tests.
  init(system: System) { self.system = system }

  /// All findings, those of a check together.
  ///
  /// Takes milliseconds; waits for nothing but the kernel and, where no daemon answers, JACK, three seconds at most.
  public func examine() -> [Finding] {
    Self.checks.flatMap { $0.init(system).findings }
  }

  private static let checks: [any Check.Type] = [
    DaemonCheck.self, KernelCheck.self, LimitsCheck.self, ThrottleCheck.self, SoundCheck.self,
    GovernorCheck.self, PowerCheck.self, RadioCheck.self, BufferCheck.self, MulticastCheck.self,
    ClockCheck.self, DiskCheck.self, SwapCheck.self, KeysCheck.self, MirrorCheck.self,
  ]
}

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
    // A user may have a service of that name, too.
    guard let group = files.text("/proc/\(process)/cgroup"), !group.contains("/user@") else {
      return false
    }
    return group.contains("/comlinkd.service")
  }

  /// Where the daemon keeps its state, or would; nil: nowhere.
  var statePath: String? {
    if let status = patient.status { return status.node.statePath }
    return isService ? patient.serviceStatePath : patient.statePath
  }
}

/// Whom the doctor looks at: the daemon that this user can ask, the service that is installed, or this user.
public struct Patient: Sendable {
  /// What the daemon tells of itself; nil: none answers.
  public var status: Status?
  /// Why none answers, in words.
  public var silence: String?
  /// The daemon's process; nil: none answers.
  public var process: Int32?
  /// Where a daemon of this user would keep its state; nil: nowhere.
  public var statePath: String?
  /// Where the service would; nil: the service is not meant.
  public var serviceStatePath: String?
  /// Who asks.
  public var userName: String
  /// The number of who asks.
  public var userID: UInt32

  /// A user without a daemon.
  public init(userName: String, userID: UInt32) {
    self.userName = userName
    self.userID = userID
  }
}
