/*
 * A disk that stops answering, for LD_PRELOAD: while there is a file COMLINK_DEAD_DISK, no fsync, fdatasync or pwrite
 * of the process comes to its end.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static void wait_for_disk(void) {
  const char *path = getenv("COMLINK_DEAD_DISK");
  const struct timespec glance = {.tv_nsec = 10000000};
  while (path && access(path, F_OK) == 0) nanosleep(&glance, NULL);
}

int fsync(int file) {
  wait_for_disk();
  return (int)syscall(SYS_fsync, file);
}

int fdatasync(int file) {
  wait_for_disk();
  return (int)syscall(SYS_fdatasync, file);
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) {
  wait_for_disk();
  return syscall(SYS_pwrite64, file, bytes, count, offset);
}
