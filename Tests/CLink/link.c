#define _GNU_SOURCE
#include "CLink.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/ethtool.h>
#include <linux/if_packet.h>
#include <linux/sockios.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

int link_namespace_leave(void) {
  return unshare(CLONE_NEWNET) == 0 ? 0 : -errno;
}

int link_namespace_enter(int descriptor) {
  return setns(descriptor, CLONE_NEWNET) == 0 ? 0 : -errno;
}

int link_device_make_plain(const char *name) {
  static const uint32_t offloads[] = {
    ETHTOOL_STXCSUM, ETHTOOL_STSO, ETHTOOL_SGSO, ETHTOOL_SGRO, ETHTOOL_SRXCSUM,
  };
  int descriptor = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return -errno;
  int result = 0;
  for (size_t index = 0; index < sizeof offloads / sizeof *offloads && result == 0; index++) {
    struct ethtool_value value = {.cmd = offloads[index], .data = 0};
    struct ifreq request = {.ifr_data = (void *)&value};
    strncpy(request.ifr_name, name, IFNAMSIZ - 1);
    // A device that has no such offload says so, and all is well.
    if (ioctl(descriptor, SIOCETHTOOL, &request) != 0 && errno != EOPNOTSUPP) result = -errno;
  }
  close(descriptor);
  return result;
}

static int packet_setup(int descriptor, unsigned interface) {
  int on = 1;
  int room = 8 << 20;
  struct packet_mreq promiscuity = {
    .mr_ifindex = (int)interface, .mr_type = PACKET_MR_PROMISC};
  // Bound last: before that it would take frames of every device.
  struct sockaddr_ll address = {
    .sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL), .sll_ifindex = (int)interface};
  if (setsockopt(descriptor, SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof on) != 0
    || setsockopt(descriptor, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &promiscuity, sizeof promiscuity) != 0
    || setsockopt(descriptor, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on) != 0
    || setsockopt(descriptor, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof room) != 0
    || setsockopt(descriptor, SOL_SOCKET, SO_SNDBUFFORCE, &room, sizeof room) != 0
    || bind(descriptor, (struct sockaddr *)&address, sizeof address) != 0)
    return -errno;
  return 0;
}

int link_packet_open(const char *name) {
  unsigned interface = if_nametoindex(name);
  if (interface == 0) return -errno;
  int descriptor = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (descriptor < 0) return -errno;
  int result = packet_setup(descriptor, interface);
  if (result == 0) return descriptor;
  close(descriptor);
  return result;
}

int link_packet_receive(int descriptor, uint8_t *frame, int64_t *realtime_nanoseconds) {
  struct iovec part = {.iov_base = frame, .iov_len = LINK_FRAME_BYTES};
  _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(struct timespec))];
  struct msghdr message = {
    .msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
  ssize_t count;
  do {
    count = recvmsg(descriptor, &message, MSG_TRUNC);
  } while (count < 0 && errno == EINTR);
  if (count < 0) return -errno;
  if (count > LINK_FRAME_BYTES) return -EMSGSIZE;
  *realtime_nanoseconds = 0;
  struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  if (header != NULL && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SO_TIMESTAMPNS) {
    struct timespec stamp;
    memcpy(&stamp, CMSG_DATA(header), sizeof stamp);
    *realtime_nanoseconds = (int64_t)stamp.tv_sec * 1000000000 + stamp.tv_nsec;
  }
  return (int)count;
}

int link_packet_take_drops(int descriptor) {
  struct tpacket_stats statistics;
  socklen_t length = sizeof statistics;
  if (getsockopt(descriptor, SOL_PACKET, PACKET_STATISTICS, &statistics, &length) != 0) return -errno;
  return (int)statistics.tp_drops;
}

int link_signals_open(void) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGHUP);
  sigaddset(&signals, SIGCHLD);
  if (sigprocmask(SIG_BLOCK, &signals, NULL) != 0) return -errno;
  int descriptor = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
  return descriptor >= 0 ? descriptor : -errno;
}

int link_signals_take(int descriptor) {
  struct signalfd_siginfo information;
  ssize_t count = read(descriptor, &information, sizeof information);
  return count == sizeof information ? (int)information.ssi_signo : -errno;
}

int link_thread_make_realtime(int priority) {
  struct sched_param parameters = {.sched_priority = priority};
  return sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &parameters) == 0 ? 0 : -errno;
}

int link_wait(struct pollfd *polls, unsigned count, int64_t nanoseconds) {
  struct timespec timeout = {
    .tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000};
  int ready = ppoll(polls, count, &timeout, NULL);
  return ready >= 0 ? ready : -errno;
}
