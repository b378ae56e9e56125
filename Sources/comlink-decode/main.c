#define _GNU_SOURCE
#include "decode.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/* Tries what is not to be possible; the first that is, or 0. */
static int check(const char *path) {
  if (confine() != 0) return DECODE_UNCONFINED;
  if (socket(AF_INET, SOCK_DGRAM, 0) >= 0 || socket(AF_UNIX, SOCK_STREAM, 0) >= 0) return 1;
  if (open(path, O_WRONLY | O_APPEND) >= 0 && write(open(path, O_WRONLY | O_APPEND), "x", 1) == 1) return 2;
  if (has_landlock() && open(path, O_RDONLY) >= 0) return 3;
  if (rename(path, "renamed") == 0 || unlink(path) == 0 || mkdir("made", 0700) == 0) return 4;
  if (kill(getppid(), 0) == 0) return 5;
  struct rlimit limits;
  if (prlimit(getppid(), RLIMIT_CORE, NULL, &limits) == 0) return 7;
  cpu_set_t processors;
  if (sched_getaffinity(0, sizeof processors, &processors) == 0 &&
      sched_setaffinity(getppid(), sizeof processors, &processors) == 0)
    return 8;
  if (getrlimit(RLIMIT_CORE, &limits) != 0 || limits.rlim_max != 0) return 9;
  void *volatile memory = malloc((size_t)1 << 30);
  return memory != NULL ? 6 : 0;
}

int main(int count, char **words) {
  if (count == 3 && strcmp(words[1], "check") == 0) return check(words[2]);
  const int is_sound = count == 2 && strcmp(words[1], "sound") == 0;
  const int is_m4a = count == 2 && strcmp(words[1], "m4a") == 0;
  if (!is_sound && !is_m4a) {
    fputs("comlink-decode is started by comlinkd: comlink-decode sound|m4a < FILE > SOUND\n", stderr);
    return 64;
  }
  if (is_sound && sound_load() != 0) return DECODE_MISSING;
  if (is_m4a && access("/usr/bin/ffmpeg", X_OK) != 0 && access("/usr/local/bin/ffmpeg", X_OK) != 0)
    return DECODE_MISSING;
  if (confine() != 0) return DECODE_UNCONFINED;
  return is_sound ? sound_decode() : m4a_decode();
}
