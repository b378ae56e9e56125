internal import CKernel
internal import EventLoop
internal import Glibc

/// What the kernel, and JACK, tell by calls rather than by files; a test has answers of its own.
struct KernelProbes: Sendable {
  /// Why the media loop cannot have its ring, in words; nil: it can.
  var ringProblem: @Sendable () -> String?
  /// Whether a time service keeps the clock; nil: unknown.
  var isClockSynchronised: @Sendable () -> Bool?
  /// Whether a radio saves power, by the index of its interface; nil: unknown.
  var savesPower: @Sendable (_ index: UInt32) -> Bool?
  /// What there is of a file system; nil: no such path.
  var disk: @Sendable (_ path: String) -> DiskFacts?

  /// A JACK server that could be played on; nil: unknown.
  var jackServer: @Sendable () -> JackServerFacts?
  /// Which PipeWire there is.
  var pipeWire: @Sendable () -> PipeWireFacts = { PipeWireFacts() }
  /// The group of a file and its mode; nil: no such path.
  var rights: @Sendable (_ path: String) -> (group: UInt32, mode: UInt32)? = { path in
    var facts = stat()
    return unsafe stat(path, &facts) == 0 ? (facts.st_gid, facts.st_mode) : nil
  }

  /// The ones of this kernel.
  static let ofThisKernel = KernelProbes(
    ringProblem: {
      do throws(EventLoopError) {
        // What the daemon itself asks for; the ring goes with the loop.
        _ = try EventLoop(configuration: EventLoopConfiguration(locksMemory: false))
        return nil
      } catch {
        return "\(error)"
      }
    },
    isClockSynchronised: {
      let answer = kernel_clock_is_synchronised()
      return answer < 0 ? nil : answer == 1
    },
    savesPower: { index in
      let answer = kernel_wifi_power_save(index)
      return answer < 0 ? nil : answer == 1
    },
    disk: { path in
      var facts = statvfs()
      guard unsafe statvfs(path, &facts) == 0 else { return nil }
      return DiskFacts(
        freeBytes: UInt64(facts.f_bavail) * UInt64(facts.f_frsize),
        isReadOnly: facts.f_flag & UInt(ST_RDONLY) != 0,
        isWritable: unsafe access(path, W_OK) == 0)
    }, jackServer: JackServerFacts.ofThisUser,
    pipeWire: PipeWireFacts.ofThisMachine)
}

/// What there is of a file system, and for whom.
struct DiskFacts: Hashable, Sendable {
  /// For users other than root.
  var freeBytes: UInt64
  var isReadOnly: Bool
  /// By this process.
  var isWritable: Bool
}
