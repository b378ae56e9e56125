internal import CProbe

/// A real-time thread that does nothing but wake up once a millisecond.
///
/// What is late for it is late for any thread of its priority on this machine: no program's own doing.
@safe public final class Canary: Sendable {
  /// Later than this is late, in milliseconds: several times what any wake-up takes.
  public static let lateMilliseconds = 0.5

  private nonisolated(unsafe) let handle: OpaquePointer

  /// Starts it.
  ///
  /// - Parameters:
  ///   - priority: its SCHED_FIFO priority.
  ///   - lateMilliseconds: what counts as late.
  /// - Throws: `RigError.missing` without the permission for real-time scheduling.
  public init(
    priority: Int, lateMilliseconds: Double = Canary.lateMilliseconds
  ) throws(RigError) {
    var error: Int32 = 0
    let created = unsafe rig_canary_create(
      Int32(priority), 1_000_000, Int64(lateMilliseconds * 1e6), &error)
    guard let created = unsafe created else {
      throw .missing(what: "a real-time thread", hint: systemMessage(-error))
    }
    unsafe handle = created
  }

  deinit { unsafe rig_canary_destroy(handle) }

  /// How many of its wake-ups were late so far.
  public var lateWakeUps: Int { unsafe Int(rig_canary_late(handle)) }

  /// How late the worst was since the last take, in milliseconds.
  public func takeWorstMilliseconds() -> Double {
    unsafe Double(rig_canary_take_worst_nanoseconds(handle)) / 1e6
  }
}
