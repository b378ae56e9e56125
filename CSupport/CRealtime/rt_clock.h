/** The one clock: CLOCK_MONOTONIC, as the kernel's receive stamps and timers can be had in it. JACK's microseconds are
 *  another: jack2 counts CLOCK_MONOTONIC_RAW, which drifts away from it by NTP's correction (60 ppm here: 250 ms after
 *  an hour), so the callback converts. */
#ifndef RT_CLOCK_H
#define RT_CLOCK_H

#include "rt_nonblocking.h"

#include <stdint.h>
#include <time.h>

/** A read of the vDSO page: no system call, no lock but the kernel's own sequence counter. */
int clock_gettime(clockid_t clock, struct timespec *time) RT_NONBLOCKING;

/** Now, in nanoseconds. [rt] [control] [loop] */
static inline int64_t rt_clock_nanoseconds(void) RT_NONBLOCKING {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

#endif
