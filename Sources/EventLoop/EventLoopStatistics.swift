import CUring

/// The loop's counters since it was made.
///
/// Each is exact; taken from another thread they may be a wake-up apart.
public struct EventLoopStatistics: Equatable, Sendable {
  /// Wake-ups with a cause; a beat and a deadline at once are two if they cost two calls.
  public var wakes: UInt64 = 0
  /// Beats of the audio thread; several may fall into one wake-up.
  public var beats: UInt64 = 0
  /// Signals of other threads: jobs, new handlers, `wake`.
  public var signals: UInt64 = 0
  /// Wake-ups by the deadline.
  public var deadlines: UInt64 = 0
  /// Wake-ups by a datagram, where the handler asked for one.
  public var alerts: UInt64 = 0
  /// All calls of `io_uring_enter`: `wakes + extraEnters + earlySubmits`, and one more while the
  /// loop waits.
  public var enters: UInt64 = 0
  /// Calls beyond the one a wake-up costs: long drains, failed sends, races of the timer.
  public var extraEnters: UInt64 = 0
  /// Calls because the queue of sends was full.
  public var earlySubmits: UInt64 = 0
  /// Executor jobs run.
  public var jobs: UInt64 = 0
  /// Datagrams given to the handler.
  public var datagramsIn: UInt64 = 0
  /// Their payload bytes.
  public var bytesIn: UInt64 = 0
  /// Datagrams handed to the network.
  public var datagramsOut: UInt64 = 0
  /// Their payload bytes.
  public var bytesOut: UInt64 = 0
  /// Datagrams longer than 1500 bytes, dropped.
  public var oversizedDrops: UInt64 = 0
  /// Datagrams longer than a receive slot, dropped.
  public var truncatedDrops: UInt64 = 0
  /// Receptions the kernel gave without an address, dropped.
  public var malformedDrops: UInt64 = 0
  /// Datagrams the kernel dropped because the socket's buffer was full; known when the next one
  /// gets through.
  public var kernelDrops: UInt64 = 0
  /// Receptions that failed.
  public var receiveErrors: UInt64 = 0
  /// Drains that ran out of receive slots and went on after a pause.
  public var bufferShortages: UInt64 = 0
  /// Sends refused because the socket's buffer or the device was full.
  public var sendsFull: UInt64 = 0
  /// Sends refused because there is no way to the destination.
  public var sendsUnreachable: UInt64 = 0
  /// Sends refused for any other reason, a packet filter for example.
  public var sendsRefused: UInt64 = 0
  /// Packets that could not be made because the wake-up had used all slots.
  public var packetShortages: UInt64 = 0
}

extension EventLoopStatistics {
  init(_ counters: uring_counters, jobs: UInt64) {
    wakes = counters.wakes
    beats = counters.beats
    signals = counters.signals
    deadlines = counters.deadlines
    alerts = counters.alerts
    enters = counters.enters
    extraEnters = counters.extra_enters
    earlySubmits = counters.early_submits
    self.jobs = jobs
    datagramsIn = counters.datagrams_in
    bytesIn = counters.bytes_in
    datagramsOut = counters.datagrams_out
    bytesOut = counters.bytes_out
    oversizedDrops = counters.oversized
    truncatedDrops = counters.truncated
    malformedDrops = counters.malformed
    kernelDrops = counters.kernel_drops
    receiveErrors = counters.receive_errors
    bufferShortages = counters.buffer_shortages
    sendsFull = counters.sends_full
    sendsUnreachable = counters.sends_unreachable
    sendsRefused = counters.sends_refused
    packetShortages = counters.packet_shortages
  }
}
