import Glibc

/// Nanoseconds of CLOCK_MONOTONIC.
func monotonicNanoseconds() -> Int64 { nanoseconds(of: CLOCK_MONOTONIC) }

/// Nanoseconds of CLOCK_REALTIME.
func realtimeNanoseconds() -> Int64 { nanoseconds(of: CLOCK_REALTIME) }

private func nanoseconds(of clock: clockid_t) -> Int64 {
  var now = timespec()
  unsafe clock_gettime(clock, &now)
  return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
}
