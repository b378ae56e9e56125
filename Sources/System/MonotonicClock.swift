internal import Glibc

/// CLOCK_MONOTONIC now.
package func monotonicNanoseconds() -> Int64 {
  var now = timespec()
  _ = unsafe clock_gettime(CLOCK_MONOTONIC, &now)
  return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
}
