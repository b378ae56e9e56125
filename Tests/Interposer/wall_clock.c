/*
 * Sets the wall clock of one program forth and back, for LD_PRELOAD: CLOCK_REALTIME as it reads it is ahead by the
 * seconds that stand as a number in the file COMLINK_WALL_CLOCK names, which is read again at each call.
 *
 * The kernel's own stamps of packets are not moved, so that they and the clock contradict each other for as long as the
 * number is not 0: worse than a clock that was set, where only packets under way at that moment do.
 *
 * Each number that the program has read is written to a file beside, of the same name and ".seen", so that a test can
 * tell that the clock it set was read.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

typedef int clock_function(clockid_t clock, struct timespec *time);

static clock_function *real_clock;
static int file = -1, seen_file = -1;
static _Atomic long seen_seconds;

__attribute__((constructor)) static void find_functions(void) {
  real_clock = (clock_function *)dlsym(RTLD_NEXT, "clock_gettime");
  const char *path = getenv("COMLINK_WALL_CLOCK");
  file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  char seen_path[4096];
  if (path && snprintf(seen_path, sizeof seen_path, "%s.seen", path) < (int)sizeof seen_path) {
    seen_file = open(seen_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  }
}

static long ahead_seconds(void) {
  char text[32];
  const ssize_t length = file >= 0 ? pread(file, text, sizeof text - 1, 0) : 0;
  if (length <= 0) return 0;
  text[length] = 0;
  const long seconds = strtol(text, NULL, 10);
  if (atomic_exchange(&seen_seconds, seconds) != seconds) dprintf(seen_file, "%ld\n", seconds);
  return seconds;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  const int result = real_clock(clock, now);
  if (result == 0 && clock == CLOCK_REALTIME) now->tv_sec += ahead_seconds();
  return result;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  (void)zone;
  struct timespec time;
  const int result = clock_gettime(CLOCK_REALTIME, &time);
  now->tv_sec = time.tv_sec;
  now->tv_usec = time.tv_nsec / 1000;
  return result;
}

time_t time(time_t *now) {
  struct timespec seconds;
  clock_gettime(CLOCK_REALTIME, &seconds);
  if (now) *now = seconds.tv_sec;
  return seconds.tv_sec;
}
