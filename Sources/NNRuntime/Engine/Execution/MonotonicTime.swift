#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Nanoseconds of a clock that only goes forward.
package func monotonicNanoseconds() -> UInt64 {
  var time = timespec()
  unsafe clock_gettime(CLOCK_MONOTONIC, &time)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}
