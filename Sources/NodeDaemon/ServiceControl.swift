internal import Dispatch
internal import Doctor
internal import Glibc
internal import Remote
internal import StatusSchema
internal import Synchronization

/// Carries out what is asked of the service and its machine.
struct ServiceControl {
  let model: NodeModel
  let life: RestartWish

  func handle(_ request: ServiceRequest) async -> ControlResponse {
    switch request {
    case .doctor:
      return .findings(await Examination.findings(of: model.status()).map(FindingStatus.init))
    case .restart:
      guard life.make() else {
        return .error(
          message:
            "comlinkd does not run as a service, so nothing would start it again: restart it where it was started"
        )
      }
      return .done(note: "comlinkd restarts")
    }
  }
}

/// The doctor's look at the machine, at the daemon's own request.
enum Examination {
  /// One at a time; it may wait for the kernel.
  private static let queue = DispatchQueue(label: "comlink-doctor")

  /// What the doctor finds.
  static func findings(of status: Status) async -> [Finding] {
    await withCheckedContinuation { continuation in
      queue.async {
        var patient = Patient(userName: "comlinkd", userID: geteuid())
        (patient.status, patient.process) = (status, getpid())
        continuation.resume(returning: Doctor(patient: patient).examine())
      }
    }
  }
}

extension FindingStatus {
  fileprivate init(_ finding: Finding) {
    self.init(check: finding.check, level: finding.level.rawValue, seen: finding.seen)
    if !finding.meaning.isEmpty { meaning = finding.meaning }
    if !finding.fix.isEmpty { fix = finding.fix }
  }
}

/// That the daemon is to be started again after its end.
///
/// Any thread.
final class RestartWish: Sendable {
  /// systemd starts a service again that ends so, by `Restart=on-failure`.
  static let exitCode = EX_TEMPFAIL

  private let isService: Bool
  private let end: @Sendable () -> Void
  private let made = Atomic<Bool>(false)

  /// - Parameters:
  ///   - isService: whether somebody starts it again.
  ///   - end: begins the daemon's end; must not wait for it.
  init(isService: Bool, end: @escaping @Sendable () -> Void = { kill(getpid(), SIGTERM) }) {
    self.isService = isService
    self.end = end
  }

  /// Whether it was made.
  var isMade: Bool { made.load(ordering: .acquiring) }

  /// Makes it, and begins the end once; false: nobody would start the daemon again.
  func make() -> Bool {
    guard isService else { return false }
    if !made.exchange(true, ordering: .acquiringAndReleasing) { end() }
    return true
  }
}

/// The machine's battery, looked at each half a minute at most, on a queue of its own: a driver may take its time.
///
/// Any thread.
final class BatteryWatch: Sendable {
  private static let interval = Duration.seconds(30)

  private struct Look {
    var known: BatteryStatus?
    var began: ContinuousClock.Instant?
    var isUnderWay = false
  }

  private let read: @Sendable () -> BatteryStatus?
  private let queue = DispatchQueue(label: "comlink-battery")
  private let last = Mutex(Look())

  /// Begins the first look.
  init(read: @escaping @Sendable () -> BatteryStatus? = { Battery().status }) {
    self.read = read
    look()
  }

  /// Its state as of the last look, never waited for; nil: there is none, or it is not known yet.
  var status: BatteryStatus? {
    look()
    return last.withLock { $0.known }
  }

  private func look() {
    let isDue = last.withLock { last in
      let now = ContinuousClock.now
      guard !last.isUnderWay, last.began.map({ now - $0 >= Self.interval }) ?? true else {
        return false
      }
      (last.began, last.isUnderWay) = (now, true)
      return true
    }
    guard isDue else { return }
    queue.async { [self] in
      let found = read()
      last.withLock { ($0.known, $0.isUnderWay) = (found, false) }
    }
  }
}
