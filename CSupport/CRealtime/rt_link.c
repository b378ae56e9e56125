/* Control: the socket between comlinkd and the plugin. */
#define _GNU_SOURCE
#include "rt_link.h"

#include "rt_shared_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

struct rt_link_version rt_link_own_version(void) {
  return (struct rt_link_version){RT_LINK_MAGIC, RT_LINK_VERSION, rt_shared_layout()};
}

/** Compares what every version begins with. */
static int check_version(const void *frame, size_t bytes) {
  struct rt_link_version theirs;
  if (bytes < sizeof theirs) return -EPROTO;
  memcpy(&theirs, frame, sizeof theirs);
  const struct rt_link_version ours = rt_link_own_version();
  if (theirs.magic != ours.magic) return -EPROTO;
  return theirs.version == ours.version && theirs.layout == ours.layout ? 0 : -EPROTONOSUPPORT;
}

static bool is_ended(const char *text, size_t capacity) {
  return memchr(text, '\0', capacity) != NULL;
}

int rt_link_check_hello(const void *frame, size_t bytes, const char *client_name) {
  const int version = check_version(frame, bytes);
  if (version != 0) return version;
  struct rt_link_hello hello;
  if (bytes != sizeof hello) return -EPROTO;
  memcpy(&hello, frame, sizeof hello);
  if (!is_ended(hello.client_name, sizeof hello.client_name)) return -EPROTO;
  return strcmp(hello.client_name, client_name) == 0 ? 0 : -EINVAL;
}

int rt_link_check_welcome(const void *frame, size_t bytes) {
  const int version = check_version(frame, bytes);
  if (version != 0) return version;
  struct rt_link_welcome welcome;
  if (bytes != sizeof welcome) return -EPROTO;
  memcpy(&welcome, frame, sizeof welcome);
  return welcome.result <= 0 ? welcome.result : -EPROTO;
}

int rt_link_check_request(const void *frame, size_t bytes) {
  struct rt_link_request request;
  if (bytes != sizeof request) return -EPROTO;
  memcpy(&request, frame, sizeof request);
  const bool is_known = request.kind > RT_LINK_NOTICE && request.kind <= RT_LINK_LEAVE;
  return is_known && request.serial != 0 && is_ended(request.source, sizeof request.source) &&
                 is_ended(request.destination, sizeof request.destination)
             ? 0
             : -EPROTO;
}

int rt_link_check_answer(const void *frame, size_t bytes) {
  struct rt_link_answer answer;
  const size_t head_bytes = sizeof answer;
  if (bytes < head_bytes) return -EPROTO;
  memcpy(&answer, frame, head_bytes);
  if (answer.kind > RT_LINK_LEAVE || (answer.kind == RT_LINK_NOTICE) != (answer.serial == 0)) return -EPROTO;
  const bool has_text = answer.kind >= RT_LINK_CONNECTIONS && answer.kind <= RT_LINK_PLAYBACK_PORTS;
  const size_t text_bytes = has_text && answer.result > 0 ? (size_t)answer.result : 0;
  return bytes == head_bytes + text_bytes ? 0 : -EPROTO;
}

/** Only a memfd has seals to tell of. */
static bool is_memory(int descriptor) {
  const int seals = fcntl(descriptor, F_GET_SEALS);
  struct stat facts;
  return seals >= 0 && (seals & RT_SHARED_SEALS) == RT_SHARED_SEALS && fstat(descriptor, &facts) == 0 &&
         facts.st_size == (off_t)sizeof(struct rt_shared);
}

static bool is_eventfd(int descriptor) {
  char path[32], target[32];
  snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
  const ssize_t bytes = readlink(path, target, sizeof target - 1);
  if (bytes < 0) return false;
  target[bytes] = '\0';
  return strcmp(target, "anon_inode:[eventfd]") == 0;
}

int rt_link_check_descriptors(int memory_fd, int wake_fd) {
  return is_memory(memory_fd) && is_eventfd(wake_fd) ? 0 : -EINVAL;
}

bool rt_link_trusts(int socket_fd) {
  struct ucred other;
  socklen_t bytes = sizeof other;
  if (getsockopt(socket_fd, SOL_SOCKET, SO_PEERCRED, &other, &bytes) != 0) return false;
  return other.uid == geteuid() || other.uid == 0;
}

int rt_link_send(int socket_fd, const void *frame, size_t bytes, const int *descriptors, uint32_t count) {
  union {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(RT_LINK_DESCRIPTORS * sizeof(int))];
  } control = {0};
  struct iovec part = {.iov_base = (void *)(uintptr_t)frame, .iov_len = bytes};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
  if (count > RT_LINK_DESCRIPTORS) return -EINVAL;
  if (count > 0) {
    message.msg_control = control.bytes;
    message.msg_controllen = CMSG_SPACE(count * sizeof(int));
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(count * sizeof(int));
    memcpy(CMSG_DATA(header), descriptors, count * sizeof(int));
  }
  ssize_t sent;
  do {
    sent = sendmsg(socket_fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  return sent == (ssize_t)bytes ? 0 : sent < 0 ? -errno : -EMSGSIZE;
}

/** Takes the descriptors of a message into place; counts them, and closes those that there is no place for. */
static uint32_t take_descriptors(struct msghdr *message, int *descriptors) {
  uint32_t count = 0;
  for (struct cmsghdr *header = CMSG_FIRSTHDR(message); header != NULL; header = CMSG_NXTHDR(message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
    const size_t here = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < here; i++) {
      int descriptor;
      memcpy(&descriptor, CMSG_DATA(header) + i * sizeof descriptor, sizeof descriptor);
      if (count < RT_LINK_DESCRIPTORS) {
        descriptors[count++] = descriptor;
      } else {
        close(descriptor);
      }
    }
  }
  return count;
}

int64_t rt_link_receive(int socket_fd, void *frame, size_t capacity, int *descriptors, bool *has_descriptors) {
  union {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(RT_LINK_DESCRIPTORS * sizeof(int))];
  } control;
  struct iovec part = {.iov_base = frame, .iov_len = capacity};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
  message.msg_control = control.bytes;
  message.msg_controllen = sizeof control.bytes;
  ssize_t bytes;
  do {
    bytes = recvmsg(socket_fd, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  } while (bytes < 0 && errno == EINTR);
  if (bytes < 0) return -errno;
  int taken[RT_LINK_DESCRIPTORS];
  const uint32_t taken_count = take_descriptors(&message, taken);
  const bool is_whole = (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) == 0;
  const bool is_wanted = descriptors != NULL && taken_count == RT_LINK_DESCRIPTORS && is_whole;
  for (uint32_t i = 0; i < taken_count; i++) {
    if (is_wanted) {
      descriptors[i] = taken[i];
    } else {
      close(taken[i]);
    }
  }
  if (has_descriptors != NULL) *has_descriptors = is_wanted;
  return is_whole ? bytes : -EPROTO;
}
