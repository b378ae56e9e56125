#define _GNU_SOURCE
#include "decode.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { CPU_SECONDS = 20, MEMORY_MIB = 512 };

int has_landlock(void) {
  return syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION) > 0;
}

static int limit(int what, rlim_t most) {
  const struct rlimit limits = {.rlim_cur = most, .rlim_max = most};
  return setrlimit(what, &limits);
}

/* Files can be read where programs and libraries lie, and nowhere else. A kernel without Landlock (before 5.13) leaves
 * that to what follows: nothing that was read can get out but as sound. */
static int confine_files(void) {
  const struct landlock_ruleset_attr all = {
      .handled_access_fs = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_READ_FILE |
                           LANDLOCK_ACCESS_FS_READ_DIR | LANDLOCK_ACCESS_FS_REMOVE_DIR |
                           LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR |
                           LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK |
                           LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM,
  };
  const int rules = (int)syscall(SYS_landlock_create_ruleset, &all, sizeof all, 0);
  if (rules < 0) return errno == ENOSYS || errno == EOPNOTSUPP ? 0 : -1;
  static const char *const readable[] = {"/usr", "/lib", "/lib64", "/bin", "/etc/ld.so.cache", "/etc/alternatives"};
  for (size_t index = 0; index < sizeof readable / sizeof *readable; index++) {
    const int place = open(readable[index], O_PATH | O_CLOEXEC);
    if (place < 0) continue;
    struct landlock_path_beneath_attr rule = {
        .allowed_access = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE, .parent_fd = place};
    if (index < 4 || index == 5) rule.allowed_access |= LANDLOCK_ACCESS_FS_READ_DIR;
    const long result = syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    close(place);
    if (result < 0) return -1;
  }
  const long result = syscall(SYS_landlock_restrict_self, rules, 0);
  close(rules);
  return result < 0 ? -1 : 0;
}

#if defined(__x86_64__)
#define THIS_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define THIS_ARCH AUDIT_ARCH_AARCH64
#elif defined(__arm__)
#define THIS_ARCH AUDIT_ARCH_ARM
#else
#error "name this machine's AUDIT_ARCH"
#endif

#define REFUSED(call) \
  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)

/* No sockets, no other processes and nothing of theirs, no io_uring (which could open sockets), no keys. Its own
 * resource limits alone can be asked for, as libraries do. */
static int confine_calls(void) {
  static struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, THIS_ARCH, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
#if defined(__x86_64__)
      /* The x32 calls have numbers of their own. */
      BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
#endif
      REFUSED(SYS_socket), REFUSED(SYS_socketpair), REFUSED(SYS_connect), REFUSED(SYS_bind), REFUSED(SYS_sendto),
      REFUSED(SYS_sendmsg), REFUSED(SYS_ptrace), REFUSED(SYS_process_vm_readv), REFUSED(SYS_process_vm_writev),
      REFUSED(SYS_tgkill), REFUSED(SYS_rt_sigqueueinfo), REFUSED(SYS_rt_tgsigqueueinfo), REFUSED(SYS_setpriority),
      REFUSED(SYS_sched_setscheduler), REFUSED(SYS_sched_setparam), REFUSED(SYS_sched_setattr), REFUSED(SYS_setpgid),
      REFUSED(SYS_sched_setaffinity), REFUSED(SYS_ioprio_set), REFUSED(SYS_move_pages), REFUSED(SYS_migrate_pages),
      REFUSED(SYS_setsid), REFUSED(SYS_kill), REFUSED(SYS_tkill), REFUSED(SYS_pidfd_open), REFUSED(SYS_pidfd_send_signal),
      REFUSED(SYS_pidfd_getfd), REFUSED(SYS_io_uring_setup), REFUSED(SYS_bpf), REFUSED(SYS_perf_event_open),
      REFUSED(SYS_userfaultfd), REFUSED(SYS_unshare), REFUSED(SYS_setns), REFUSED(SYS_mount), REFUSED(SYS_add_key),
      REFUSED(SYS_keyctl), REFUSED(SYS_request_key), REFUSED(SYS_shmget), REFUSED(SYS_msgget), REFUSED(SYS_truncate),
#if defined(__x86_64__) || defined(__arm__)
      REFUSED(SYS_unlink), REFUSED(SYS_rename), REFUSED(SYS_mkdir), REFUSED(SYS_rmdir), REFUSED(SYS_link),
      REFUSED(SYS_symlink), REFUSED(SYS_chmod), REFUSED(SYS_chown), REFUSED(SYS_mknod), REFUSED(SYS_creat),
#endif
#if defined(SYS_renameat)
      REFUSED(SYS_renameat),
#endif
      REFUSED(SYS_unlinkat), REFUSED(SYS_renameat2), REFUSED(SYS_linkat), REFUSED(SYS_symlinkat),
      REFUSED(SYS_mkdirat), REFUSED(SYS_mknodat), REFUSED(SYS_fchmodat), REFUSED(SYS_fchownat),
      REFUSED(SYS_open_by_handle_at),
      /* The low half of the first argument, which is a pid: 0 is this process. */
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_prlimit64, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const struct sock_fprog program = {.len = sizeof filter / sizeof *filter, .filter = filter};
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

int confine(void) {
  /* Whatever the parent left open. */
  if (syscall(SYS_close_range, 3, ~0U, 0) != 0) {
    for (int number = 3; number < 1024; number++) close(number);
  }
  if (limit(RLIMIT_CPU, CPU_SECONDS) != 0 || limit(RLIMIT_AS, (rlim_t)MEMORY_MIB << 20) != 0 ||
      limit(RLIMIT_CORE, 0) != 0 || limit(RLIMIT_FSIZE, 0) != 0)
    return -1;
  if (prctl(PR_SET_DUMPABLE, 0) != 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
  return confine_files() != 0 || confine_calls() != 0 ? -1 : 0;
}
