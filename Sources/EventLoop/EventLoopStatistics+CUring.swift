import CUring

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
