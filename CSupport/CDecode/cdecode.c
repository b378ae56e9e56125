#define _GNU_SOURCE
#include "CDecode.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A file that has no name anywhere, and can be searched. */
static int memory_file(const void *octets, size_t bytes) {
  const int file = memfd_create("comlink-decode", MFD_CLOEXEC);
  if (file < 0) return -errno;
  const char *next = octets;
  while (bytes > 0) {
    const ssize_t written = write(file, next, bytes);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      const int code = written < 0 ? errno : ENOSPC;
      close(file);
      return -code;
    }
    next += written;
    bytes -= (size_t)written;
  }
  (void)lseek(file, 0, SEEK_SET);
  return file;
}

/* Ordinary priority, no signals blocked or ignored, whatever the caller's thread has; nothing of the environment. */
static int spawn(const char *program, const char *word, int input, int output, pid_t *process) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  sigset_t none, all;
  const struct sched_param ordinary = {.sched_priority = 0};
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input, 0);
  posix_spawn_file_actions_adddup2(&actions, output, 1);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setschedpolicy(&attributes, SCHED_OTHER);
  posix_spawnattr_setschedparam(&attributes, &ordinary);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP |
                                            POSIX_SPAWN_SETSCHEDULER);
  char *words[] = {(char *)program, (char *)word, NULL};
  char *environment[] = {NULL};
  const int code = posix_spawn(process, program, &actions, &attributes, words, environment);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return -code;
}

int32_t cdecode_start(const char *program, const char *word, const void *file, size_t bytes, int32_t *process) {
  const int input = memory_file(file, bytes);
  if (input < 0) return input;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    const int code = errno;
    close(input);
    return -code;
  }
  pid_t started = 0;
  const int code = spawn(program, word, input, ends[1], &started);
  close(input);
  close(ends[1]);
  if (code != 0) {
    close(ends[0]);
    return code;
  }
  *process = started;
  return ends[0];
}

int32_t cdecode_read(int32_t descriptor, void *room, size_t bytes, int32_t milliseconds) {
  struct pollfd look = {.fd = descriptor, .events = POLLIN};
  int found;
  do {
    found = poll(&look, 1, milliseconds);
  } while (found < 0 && errno == EINTR);
  if (found <= 0) return found < 0 ? -errno : -ETIMEDOUT;
  ssize_t count;
  do {
    count = read(descriptor, room, bytes);
  } while (count < 0 && errno == EINTR);
  return count < 0 ? -errno : (int32_t)count;
}

int32_t cdecode_end(int32_t descriptor, int32_t process, int32_t grace) {
  int status = 0;
  pid_t ended = waitpid(process, &status, WNOHANG);
  for (; ended == 0 && grace > 0; grace--) {
    const struct timespec pause = {.tv_nsec = 1000000};
    nanosleep(&pause, NULL);
    ended = waitpid(process, &status, WNOHANG);
  }
  /* The group: what it started, too. */
  if (kill(-process, SIGKILL) != 0 && ended == 0) kill(process, SIGKILL);
  close(descriptor);
  while (ended == 0 || (ended < 0 && errno == EINTR)) ended = waitpid(process, &status, 0);
  if (ended < 0) return -SIGKILL;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}
