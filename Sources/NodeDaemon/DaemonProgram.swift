internal import ArgumentParser
internal import CKernel
internal import Glibc
internal import Logging
internal import Remote

/// The daemon as a program: exits as sysexits.h has it, 0 after a signal.
public enum DaemonProgram {
  /// Runs it by this process' arguments and environment; on the main thread, which takes the signals.
  public static func run() -> Never {
    // A peer's memory goes back when it leaves, or serves the next, whichever thread it was taken on.
    _ = kernel_keep_heap_small()
    let options = Options.parseOrExit(
      NegativeValue.attached(Array(CommandLine.arguments.dropFirst())))
    let surroundings = Surroundings.ofThisProcess
    let effective: EffectiveConfiguration
    do throws(DaemonError) {
      effective = try ConfigurationLoader(surroundings: surroundings)
        .load(path: options.config, flags: try options.flags())
    } catch {
      fail(error)
    }
    if options.printConfig {
      print(ConfigurationText.text(effective, version: Version.current), terminator: "")
      exit(EX_OK)
    }
    let service = ServiceEnvironment(surroundings.environment, process: getpid())
    ServiceEnvironment.removeFromThisProcess()
    PipeWireQuantum.ask(
      frames: effective.configuration.profile.quantumFrames,
      environment: surroundings.environment)
    run(
      effective, service: service,
      style: StandardErrorLog.style(environment: surroundings.environment))
  }

  /// Runs the daemon on Swift's pool; this thread is left to the signals.
  private static func run(
    _ effective: EffectiveConfiguration, service: ServiceEnvironment,
    style: StandardErrorLog.Style
  ) -> Never {
    // Keys and secrets are in memory: a crash leaves no copy of them on the disk.
    var noCore = rlimit(rlim_cur: 0, rlim_max: 0)
    unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &noCore)
    let signals = TerminationSignals()
    var daemon = Daemon(effective: effective, style: style)
    daemon.restart = RestartWish(isService: service.notifySocket != nil)
    daemon.service = ServiceReport(
      service, user: LimitsAdvice.user, log: daemon.logger("comlinkd"))
    Task.detached { [daemon] in
      do throws(DaemonError) {
        try await daemon.run { await signals.first() }
        exit(daemon.restart.isMade ? RestartWish.exitCode : EX_OK)
      } catch {
        daemon.logger("comlinkd").event(.failed, "\(error)")
        exit(error.exitCode)
      }
    }
    signals.deliver(log: daemon.logger("comlinkd"))
  }

  private static func fail(_ error: DaemonError) -> Never {
    var log = StandardErrorLog(style: .terminal, area: "comlinkd")
    log.style = StandardErrorLog.style(environment: Surroundings.ofThisProcess.environment)
    Logger(label: "comlinkd") { _ in log }.error("\(error)")
    exit(error.exitCode)
  }
}

/// What Opus is tuned for.
enum Application: String, CaseIterable, Sendable {
  /// Least delay: 2.5 ms of look-ahead.
  case lowdelay
  /// Speech at low bit rates: 6.5 ms of look-ahead.
  case voip
  /// One of the two, by packet time and bit rate.
  case auto

  /// The choice that is made for a stream.
  ///
  /// Below 10 ms Opus has no speech mode, so look-ahead would buy nothing. From there on the speech mode
  /// pays where bits are scarce; it costs three times the CPU of the other.
  func resolved(ptime: PacketTime, bitrateKilobits: Int) -> Application {
    guard self == .auto else { return self }
    return ptime.milliseconds >= 10 && bitrateKilobits < 32 ? .voip : .lowdelay
  }
}
