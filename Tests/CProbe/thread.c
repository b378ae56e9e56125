#define _GNU_SOURCE /* __WALL */

#include <errno.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include "CProbe.h"

int rig_thread_stop(int thread) {
  if (ptrace(PTRACE_SEIZE, thread, NULL, NULL) != 0) return -errno;
  int status;
  int result = ptrace(PTRACE_INTERRUPT, thread, NULL, NULL) == 0 && waitpid(thread, &status, __WALL) == thread &&
                       WIFSTOPPED(status)
                   ? 0
                   : -errno;
  if (result != 0) ptrace(PTRACE_DETACH, thread, NULL, NULL);
  return result;
}

int rig_thread_continue(int thread) {
  return ptrace(PTRACE_DETACH, thread, NULL, NULL) == 0 ? 0 : -errno;
}
