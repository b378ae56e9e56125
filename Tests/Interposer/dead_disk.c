/*
 * A disk that stops answering, for LD_PRELOAD: while there is a file COMLINK_DEAD_DISK, no fsync of the process comes to its end.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int fsync(int file) {
  const char *path = getenv("COMLINK_DEAD_DISK");
  const struct timespec glance = {.tv_nsec = 10000000};
  while (path && access(path, F_OK) == 0) nanosleep(&glance, NULL);
  return (int)syscall(SYS_fsync, file);
}
