/* Preloaded by 3-realtime-sanitizer.sh: a clock that allocates, so that the audio callback, which reads the clock,
 * does. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *time) {
  void *volatile memory = malloc(16);
  free(memory);
  return (int)syscall(SYS_clock_gettime, clock, time);
}
