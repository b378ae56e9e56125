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
    ClockCheck.self, DiskCheck.self, SwapCheck.self,
  ]
}
