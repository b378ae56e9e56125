#define _GNU_SOURCE
#include "rt_plugin_socket.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { WAITING_MOST = 8, LOCK_TRIES = 50, LOCK_PAUSE_NANOSECONDS = 10000000 };

/** Whether $XDG_RUNTIME_DIR will do: the XDG base directory specification asks that it be the user's own. */
static const char *runtime_directory(void) {
  const char *directory = getenv("XDG_RUNTIME_DIR");
  struct stat facts;
  if (directory == NULL || directory[0] != '/' || stat(directory, &facts) != 0) return NULL;
  return S_ISDIR(facts.st_mode) && facts.st_uid == geteuid() ? directory : NULL;
}

/** Writes the path into the address; false when it is too long. */
static bool set_path(struct sockaddr_un *address, const char *path) {
  const size_t capacity = sizeof address->sun_path;
  const char *directory = runtime_directory();
  int bytes;
  if (path != NULL && path[0] != '\0') {
    bytes = snprintf(address->sun_path, capacity, "%s", path);
  } else if (directory != NULL) {
    bytes = snprintf(address->sun_path, capacity, "%s/comlink/plugin.sock", directory);
  } else if (geteuid() == 0) {
    bytes = snprintf(address->sun_path, capacity, "/run/comlink/plugin.sock");
  } else {
    bytes = snprintf(address->sun_path, capacity, "/tmp/comlink-%u/plugin.sock", (unsigned)geteuid());
  }
  return bytes > 0 && (size_t)bytes < capacity;
}

/** Makes the socket's directory if it is missing, and locks it: two that start at once take turns. The descriptor,
 *  which is the lock, or -errno. Who could put something else there is found out by rt_link_trusts. */
static int lock_directory(const struct sockaddr_un *address) {
  char directory[sizeof address->sun_path];
  strcpy(directory, address->sun_path);
  char *slash = strrchr(directory, '/');
  if (slash == NULL) {
    strcpy(directory, ".");
  } else {
    slash[slash == directory] = '\0';
  }
  if (mkdir(directory, 0700) != 0 && errno != EEXIST) return -errno;
  const int lock = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (lock < 0) return -errno;
  for (int i = 0; i < LOCK_TRIES; i++) {
    if (flock(lock, LOCK_EX | LOCK_NB) == 0) return lock;
    const struct timespec pause = {.tv_nsec = LOCK_PAUSE_NANOSECONDS};
    nanosleep(&pause, NULL);
  }
  close(lock);
  return -EBUSY;
}

/** Removes a socket that nobody listens at: a jackd was killed. */
static void remove_stale(const struct sockaddr_un *address) {
  struct stat facts;
  if (lstat(address->sun_path, &facts) != 0 || !S_ISSOCK(facts.st_mode)) return;
  const int probe = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (probe < 0) return;
  const bool is_stale =
      connect(probe, (const struct sockaddr *)address, sizeof *address) != 0 && errno == ECONNREFUSED;
  close(probe);
  if (is_stale) unlink(address->sun_path);
}

static int listen_at(struct rt_plugin_socket *own) {
  remove_stale(&own->address);
  if (bind(own->listen_fd, (const struct sockaddr *)&own->address, sizeof own->address) != 0) return -errno;
  struct stat facts;
  if (lstat(own->address.sun_path, &facts) != 0) return -errno;
  own->device = facts.st_dev;
  own->node = facts.st_ino;
  const bool is_ready = chmod(own->address.sun_path, 0600) == 0 && listen(own->listen_fd, WAITING_MOST) == 0;
  return is_ready ? 0 : -errno;
}

int rt_plugin_socket_open(struct rt_plugin_socket *own, const char *path) {
  *own = (struct rt_plugin_socket){.listen_fd = -1, .address = {.sun_family = AF_UNIX}};
  if (!set_path(&own->address, path)) return -ENAMETOOLONG;
  const int lock = lock_directory(&own->address);
  if (lock < 0) return lock;
  own->listen_fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const int error = own->listen_fd >= 0 ? listen_at(own) : -errno;
  if (error != 0) rt_plugin_socket_close(own);
  close(lock);
  return error;
}

void rt_plugin_socket_close(struct rt_plugin_socket *own) {
  struct stat facts;
  const bool is_ours = own->node != 0 && lstat(own->address.sun_path, &facts) == 0 && facts.st_dev == own->device &&
                       facts.st_ino == own->node;
  if (is_ours) unlink(own->address.sun_path);
  if (own->listen_fd >= 0) close(own->listen_fd);
  own->listen_fd = -1;
  own->node = 0;
}
