/* Whom the two ends of the link to the plugin trust: only in a program of its own can a user be changed. */
#define _GNU_SOURCE
#include "core_test.h"
#include "rt_link.h"

#include <sys/socket.h>
#include <unistd.h>

enum { NOBODY = 65534 };

/** Whether a process of this user trusts an end that another user made; a socket keeps who made it. */
static bool trusts(uid_t own, uid_t other) {
  int ends[2];
  EXPECT(seteuid(other) == 0);
  EXPECT(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0);
  EXPECT(seteuid(0) == 0 && seteuid(own) == 0);
  const bool is_trusted = rt_link_trusts(ends[0]);
  EXPECT(seteuid(0) == 0);
  close(ends[0]);
  close(ends[1]);
  return is_trusted;
}

void test_link(void) {
  EXPECT(!rt_link_trusts(-1));
  int pipes[2];
  EXPECT(pipe(pipes) == 0);
  EXPECT(!rt_link_trusts(pipes[0]));
  close(pipes[0]);
  close(pipes[1]);
  int ends[2];
  EXPECT(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0);
  EXPECT(rt_link_trusts(ends[0]));
  close(ends[0]);
  close(ends[1]);
  /* Others only as root, who can become them. */
  if (geteuid() != 0) return;
  EXPECT(trusts(NOBODY, NOBODY));
  EXPECT(trusts(NOBODY, 0));
  EXPECT(!trusts(0, NOBODY));
  EXPECT(!trusts(NOBODY, NOBODY - 1));
}
