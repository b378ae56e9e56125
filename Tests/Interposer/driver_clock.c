/*
 * Makes jackd's dummy driver keep time as a sound card does, for LD_PRELOAD into jackd.
 *
 * The stock driver begins its time line anew after each late wake-up (JackTimedDriver::ProcessWait of
 * jack2), so on a machine that wakes it late it slips by whole periods: 400 to 800 ppm in jumps. Here a
 * cycle that is late by less than CATCH_UP_MICROSECONDS is made up for by cycles of half the length, which
 * clients can keep up with, as a card with a deep buffer would allow; only a later one is an xrun.
 * COMLINK_DRIFT_PPM makes the clock run fast by so much (below 0: slow).
 *
 * jack2 calls both functions through its symbol table, so that these come first. Both are called by the
 * driver's thread alone, as methods of the driver.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>

enum { CATCH_UP_MICROSECONDS = 250000 };

/* jack2's own methods by their mangled names; `now` is in microseconds of CLOCK_MONOTONIC_RAW. */
int _ZN4Jack15JackTimedDriver10FirstCycleEm(void *driver, unsigned long now);
int _ZN4Jack15JackTimedDriver12CurrentCycleEm(void *driver, unsigned long now);

typedef int cycle_method(void *driver, unsigned long now);

static cycle_method *first_cycle, *current_cycle;
static double drift;
static unsigned long anchor;
static int period;

__attribute__((constructor)) static void find_methods(void) {
  first_cycle = (cycle_method *)dlsym(RTLD_NEXT, "_ZN4Jack15JackTimedDriver10FirstCycleEm");
  current_cycle = (cycle_method *)dlsym(RTLD_NEXT, "_ZN4Jack15JackTimedDriver12CurrentCycleEm");
  const char *ppm = getenv("COMLINK_DRIFT_PPM");
  drift = ppm ? strtod(ppm, NULL) * 1e-6 : 0;
}

/* A time line begins: the time to sleep, one period. */
int _ZN4Jack15JackTimedDriver10FirstCycleEm(void *driver, unsigned long now) {
  anchor = now;
  period = first_cycle(driver, now);
  return period;
}

/* The time to sleep until the next cycle is due; below 0 the driver reports an xrun and begins anew. */
int _ZN4Jack15JackTimedDriver12CurrentCycleEm(void *driver, unsigned long now) {
  const int nominal = current_cycle(driver, now);
  /* All periods since the anchor are shorter by the drift. */
  const int sleep = nominal - (int)(((double)(now - anchor) + nominal) * drift);
  if (sleep < -CATCH_UP_MICROSECONDS) return sleep;
  return sleep < period / 2 ? period / 2 : sleep;
}
