#define _GNU_SOURCE

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <netinet/ip.h>
#include <netinet/udp.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "CProbe.h"

enum { NEEDED = 128 };

struct rig_datagrams {
  pthread_t thread;
  int descriptor;
  uint16_t from;
  size_t capacity;
  atomic_bool is_ending;
  atomic_size_t count;
  rig_datagram log[];
};

static int64_t nanoseconds(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/** The kernel's time stamp is of the clock on the wall: how long ago that was is so by any clock. */
static int64_t sent_nanoseconds(struct msghdr *message) {
  const int64_t now = nanoseconds(CLOCK_MONOTONIC_RAW), wall = nanoseconds(CLOCK_REALTIME);
  for (struct cmsghdr *part = CMSG_FIRSTHDR(message); part; part = CMSG_NXTHDR(message, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_TIMESTAMPNS) continue;
    struct timespec stamp;
    memcpy(&stamp, CMSG_DATA(part), sizeof stamp);
    return now - (wall - ((int64_t)stamp.tv_sec * 1000000000 + stamp.tv_nsec));
  }
  return now;
}

/** Takes an IPv4 packet that is a datagram of the port's. */
static void take(rig_datagrams *datagrams, const uint8_t *packet, size_t count, struct msghdr *message) {
  struct iphdr ip;
  struct udphdr udp;
  if (count < sizeof ip) return;
  memcpy(&ip, packet, sizeof ip);
  const size_t head = (size_t)ip.ihl * 4;
  if (ip.protocol != IPPROTO_UDP || count < head + sizeof udp + 2) return;
  memcpy(&udp, packet + head, sizeof udp);
  const size_t place = atomic_load_explicit(&datagrams->count, memory_order_relaxed);
  if (ntohs(udp.source) != datagrams->from || place == datagrams->capacity) return;
  datagrams->log[place] = (rig_datagram){
      .nanoseconds = sent_nanoseconds(message),
      .to = ntohs(udp.dest),
      .second_octet = packet[head + sizeof udp + 1],
  };
  atomic_store_explicit(&datagrams->count, place + 1, memory_order_release);
}

static void *listen_on(void *argument) {
  rig_datagrams *datagrams = argument;
  while (!atomic_load_explicit(&datagrams->is_ending, memory_order_acquire)) {
    struct pollfd wait = {.fd = datagrams->descriptor, .events = POLLIN};
    if (poll(&wait, 1, 100) <= 0) continue;
    uint8_t packet[NEEDED];
    _Alignas(struct cmsghdr) uint8_t control[256];
    struct sockaddr_ll sender = {0};
    struct iovec part = {.iov_base = packet, .iov_len = sizeof packet};
    struct msghdr message = {.msg_name = &sender, .msg_namelen = sizeof sender, .msg_iov = &part, .msg_iovlen = 1,
                             .msg_control = control, .msg_controllen = sizeof control};
    const ssize_t count = recvmsg(datagrams->descriptor, &message, MSG_DONTWAIT);
    /* Each is there twice: as it is sent, and as it comes. */
    if (count > 0 && sender.sll_pkttype == PACKET_OUTGOING) take(datagrams, packet, (size_t)count, &message);
  }
  return NULL;
}

static int open_socket(void) {
  const int descriptor = socket(AF_PACKET, SOCK_DGRAM | SOCK_CLOEXEC, htons(ETH_P_ALL));
  if (descriptor < 0) return -errno;
  const struct sockaddr_ll loopback = {
      .sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL), .sll_ifindex = (int)if_nametoindex("lo")};
  const int is_on = 1;
  if (setsockopt(descriptor, SOL_SOCKET, SO_TIMESTAMPNS, &is_on, sizeof is_on) == 0 &&
      bind(descriptor, (const struct sockaddr *)&loopback, sizeof loopback) == 0)
    return descriptor;
  const int error = -errno;
  close(descriptor);
  return error;
}

rig_datagrams *rig_datagrams_create(uint16_t from, size_t capacity, int *error) {
  rig_datagrams *datagrams = calloc(1, sizeof *datagrams + capacity * sizeof datagrams->log[0]);
  *error = datagrams ? 0 : -ENOMEM;
  if (!datagrams) return NULL;
  datagrams->from = from;
  datagrams->capacity = capacity;
  datagrams->descriptor = open_socket();
  *error = datagrams->descriptor < 0 ? datagrams->descriptor
                                     : -pthread_create(&datagrams->thread, NULL, listen_on, datagrams);
  if (*error == 0) return datagrams;
  if (datagrams->descriptor >= 0) close(datagrams->descriptor);
  free(datagrams);
  return NULL;
}

void rig_datagrams_destroy(rig_datagrams *datagrams) {
  if (!datagrams) return;
  atomic_store_explicit(&datagrams->is_ending, true, memory_order_release);
  pthread_join(datagrams->thread, NULL);
  close(datagrams->descriptor);
  free(datagrams);
}

size_t rig_datagrams_log(const rig_datagrams *datagrams, const rig_datagram **log) {
  *log = datagrams->log;
  return atomic_load_explicit(&datagrams->count, memory_order_acquire);
}
