#include "CRefusal.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

long refusal_io_uring_enter(void) { return SYS_io_uring_enter; }

static int install(struct sock_filter *filter, unsigned short count) {
  struct sock_fprog program = {.len = count, .filter = filter};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -errno;
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0 ? -errno : 0;
}

int refusal_begin(long call, int argument, uint32_t value, int error) {
  const uint32_t refusal = SECCOMP_RET_ERRNO | ((uint32_t)error & SECCOMP_RET_DATA);
  /* The low half: the machines of this project are little-endian. */
  const uint32_t place = (uint32_t)offsetof(struct seccomp_data, args) + 8 * (uint32_t)(argument < 0 ? 0 : argument);
  struct sock_filter any[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, refusal),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_filter some[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, place),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, refusal),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  if (argument == REFUSAL_ANY) return install(any, sizeof any / sizeof *any);
  return install(some, sizeof some / sizeof *some);
}
