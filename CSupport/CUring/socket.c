#include "ring.h"

#include <endian.h>
#include <netinet/ip.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const uint64_t MAPPED_PREFIX = 0x0000ffff00000000; /* ::ffff:0:0/96, RFC 4291 section 2.5.5.2 */
enum { BIND_TRIES_PER_SECOND = 50 };

struct uring_address uring_address_from_name(const union ring_name *name) {
  if (name->any.sa_family == AF_INET) {
    return (struct uring_address){.low = ntohl(name->v4.sin_addr.s_addr), .port = ntohs(name->v4.sin_port)};
  }
  uint64_t halves[2];
  memcpy(halves, &name->v6.sin6_addr, sizeof halves);
  struct uring_address address = {
      .high = be64toh(halves[0]),
      .low = be64toh(halves[1]),
      .scope = name->v6.sin6_scope_id,
      .port = ntohs(name->v6.sin6_port),
      .is_ipv6 = true,
  };
  if (address.high == 0 && (address.low & 0xffffffff00000000) == MAPPED_PREFIX) {
    address.low &= 0xffffffff;
    address.scope = 0;
    address.is_ipv6 = false;
  }
  return address;
}

socklen_t uring_name_from_address(union ring_name *name, const struct uring_address *address, bool for_ipv6) {
  if (!address->is_ipv6 && !for_ipv6) {
    name->v4 = (struct sockaddr_in){
        .sin_family = AF_INET,
        .sin_port = htons(address->port),
        .sin_addr.s_addr = htonl((uint32_t)address->low),
    };
    return sizeof name->v4;
  }
  uint64_t low = address->is_ipv6 ? address->low : MAPPED_PREFIX | address->low;
  uint64_t halves[2] = {htobe64(address->is_ipv6 ? address->high : 0), htobe64(low)};
  name->v6 = (struct sockaddr_in6){
      .sin6_family = AF_INET6,
      .sin6_port = htons(address->port),
      .sin6_scope_id = address->is_ipv6 ? address->scope : 0,
  };
  memcpy(&name->v6.sin6_addr, halves, sizeof halves);
  return sizeof name->v6;
}

static int set_option(int fd, int level, int option, int value) {
  return setsockopt(fd, level, option, &value, sizeof value) < 0 ? -errno : 0;
}

static int get_option(int fd, int level, int option) {
  int value = 0;
  socklen_t length = sizeof value;
  return getsockopt(fd, level, option, &value, &length) < 0 ? -errno : value;
}

/** FORCE goes beyond net.core.rmem_max but needs CAP_NET_ADMIN. */
static int size_buffer(int fd, int forced_option, int option, int bytes) {
  return set_option(fd, SOL_SOCKET, forced_option, bytes) == 0 ? 0 : set_option(fd, SOL_SOCKET, option, bytes);
}

static int set_family_options(int fd, const struct uring_socket_settings *settings) {
  const struct uring_address *address = &settings->address;
  if (!address->is_ipv6) return set_option(fd, IPPROTO_IP, IP_TOS, settings->traffic_class);
  bool is_any = address->high == 0 && address->low == 0;
  int error = set_option(fd, IPPROTO_IPV6, IPV6_V6ONLY, !is_any);
  if (error == 0) error = set_option(fd, IPPROTO_IPV6, IPV6_TCLASS, settings->traffic_class);
  if (error == 0 && is_any) error = set_option(fd, IPPROTO_IP, IP_TOS, settings->traffic_class);
  return error;
}

static int set_options(int fd, const struct uring_socket_settings *settings) {
  int error = set_family_options(fd, settings);
  /* After IP_TOS, which sets a priority of its own. */
  if (error == 0) error = set_option(fd, SOL_SOCKET, SO_PRIORITY, settings->priority);
  if (error == 0) error = size_buffer(fd, SO_RCVBUFFORCE, SO_RCVBUF, settings->receive_buffer_bytes);
  if (error == 0) error = size_buffer(fd, SO_SNDBUFFORCE, SO_SNDBUF, settings->send_buffer_bytes);
  if (error == 0) error = set_option(fd, SOL_SOCKET, SO_TIMESTAMPNS, 1);
  if (error == 0) error = set_option(fd, SOL_SOCKET, SO_RXQ_OVFL, 1);
  return error;
}

/**
 * A killed process's ring ends some time after the process, and its socket with the ring: a start right after it
 * finds the port taken, for a moment.
 */
static int bind_patiently(int fd, const union ring_name *name, socklen_t length) {
  static const struct timespec pause = {.tv_nsec = 1000000000 / BIND_TRIES_PER_SECOND};
  for (int tries = BIND_TRIES_PER_SECOND; bind(fd, &name->any, length) < 0; tries--) {
    int error = -errno;
    if (error != -EADDRINUSE || tries == 0) return error;
    nanosleep(&pause, NULL);
  }
  return 0;
}

static int open_bound(const struct uring_socket_settings *settings, enum uring_socket_step *step_out) {
  *step_out = URING_SOCKET_OPEN;
  bool is_ipv6 = settings->address.is_ipv6;
  int fd = socket(is_ipv6 ? AF_INET6 : AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return -errno;
  *step_out = URING_SOCKET_OPTIONS;
  int error = set_options(fd, settings);
  if (error == 0) {
    *step_out = URING_SOCKET_BIND;
    union ring_name name;
    socklen_t length = uring_name_from_address(&name, &settings->address, is_ipv6);
    error = bind_patiently(fd, &name, length);
  }
  if (error == 0) return fd;
  close(fd);
  return error;
}

int uring_socket_open(uring *ring, const struct uring_socket_settings *settings, enum uring_socket_step *step_out) {
  *step_out = URING_SOCKET_OPEN;
  if (ring->socket_fd >= 0) return -EEXIST;
  int fd = open_bound(settings, step_out);
  if (fd < 0) return fd;
  ring->socket_fd = fd;
  ring->socket_is_ipv6 = settings->address.is_ipv6;
  return 0;
}

struct uring_address uring_socket_address(const uring *ring) {
  union ring_name name = {0};
  socklen_t length = sizeof name;
  getsockname(ring->socket_fd, &name.any, &length);
  return uring_address_from_name(&name);
}

int32_t uring_socket_receive_buffer_bytes(const uring *ring) {
  return get_option(ring->socket_fd, SOL_SOCKET, SO_RCVBUF);
}

int uring_socket_priority(const uring *ring) { return get_option(ring->socket_fd, SOL_SOCKET, SO_PRIORITY); }

int uring_socket_traffic_class(const uring *ring, bool ipv6) {
  return ipv6 ? get_option(ring->socket_fd, IPPROTO_IPV6, IPV6_TCLASS) : get_option(ring->socket_fd, IPPROTO_IP, IP_TOS);
}
