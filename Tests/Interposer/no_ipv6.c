/*
 * A kernel without IPv6 (ipv6.disable=1), for LD_PRELOAD: no socket of its family can be made.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

int socket(int family, int type, int protocol) {
  if (family != AF_INET6) return (int)syscall(SYS_socket, family, type, protocol);
  errno = EAFNOSUPPORT;
  return -1;
}
