#include "rt_wake.h"

#include "rt_clock.h"
#include "rt_desk.h"

#include <unistd.h>

#if defined(__has_feature)
#if __has_feature(realtime_sanitizer)
#include <sanitizer/rtsan_interface.h>
#define RT_ALLOW_SYSTEM_CALL() __rtsan_disable()
#define RT_FORBID_SYSTEM_CALL() __rtsan_enable()
#endif
#endif
#ifndef RT_ALLOW_SYSTEM_CALL
#define RT_ALLOW_SYSTEM_CALL() ((void)0)
#define RT_FORBID_SYSTEM_CALL() ((void)0)
#endif

/* The one exception from the rule: an eventfd's write only adds to a counter and blocks at 2^64 - 1. */
#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wfunction-effects"
#endif

static void write_event(int wake_fd) RT_NONBLOCKING;
static void write_event(int wake_fd) RT_NONBLOCKING {
  const uint64_t one = 1;
  RT_ALLOW_SYSTEM_CALL();
  /* A full counter means that the loop has been woken and not come yet. */
  const ssize_t written = write(wake_fd, &one, sizeof one);
  RT_FORBID_SYSTEM_CALL();
  (void)written;
}

#if defined(__clang__)
#pragma clang diagnostic pop
#endif

void rt_wake(struct rt_desk *desk) RT_NONBLOCKING {
  int64_t untaken = 0;
  atomic_compare_exchange_strong_explicit(&desk->shared->wake_nanoseconds, &untaken, rt_clock_nanoseconds(),
                                          memory_order_relaxed, memory_order_relaxed);
  atomic_fetch_add_explicit(&desk->shared->wakes, 1, memory_order_relaxed);
  if (desk->wake_fd >= 0) write_event(desk->wake_fd);
}

void rt_wake_untimed(const struct rt_desk *desk) RT_NONBLOCKING {
  if (desk->wake_fd >= 0) write_event(desk->wake_fd);
}
