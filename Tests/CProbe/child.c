#define _GNU_SOURCE /* pipe2, close_range */

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "CProbe.h"

/** One request at a time, handed to the thread that forks. */
typedef struct rig_request {
  const char *path;
  const char *const *arguments;
  const char *const *environment;
  int input, output, error_output, death_signal, result;
  bool is_done;
} rig_request;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static rig_request *pending;
static bool is_started;

/** Runs in the child between fork and exec: async-signal-safe calls only. */
static void become(const rig_request *request, int report, pid_t parent) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, request->death_signal);
  if (getppid() != parent) _exit(127);
  for (int signal_number = 1; signal_number < NSIG; signal_number++)
    signal(signal_number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  int input = request->input >= 0 ? request->input : open("/dev/null", O_RDONLY);
  if (input >= 0 && dup2(input, 0) >= 0 && dup2(request->output, 1) >= 0 &&
      dup2(request->error_output, 2) >= 0) {
    close_range(3, (unsigned)report - 1, 0);
    close_range((unsigned)report + 1, ~0U, 0);
    execve(request->path, (char *const *)request->arguments,
           (char *const *)request->environment);
  }
  int error = errno;
  ssize_t written = write(report, &error, sizeof error);
  _exit(written == sizeof error ? 127 : 126);
}

static int fork_and_exec(const rig_request *request) {
  int report[2];
  if (pipe2(report, O_CLOEXEC) != 0) return -errno;
  /* Above the standard descriptors, so that closing the rest leaves a range on both sides. */
  int report_writer = fcntl(report[1], F_DUPFD_CLOEXEC, 16);
  close(report[1]);
  pid_t parent = getpid();
  pid_t child = report_writer < 0 ? -1 : fork();
  if (child == 0) become(request, report_writer, parent);
  int result = child > 0 ? child : -errno;
  close(report_writer);
  int error = 0;
  ssize_t count;
  do count = read(report[0], &error, sizeof error);
  while (count < 0 && errno == EINTR);
  close(report[0]);
  if (child > 0) setpgid(child, child);
  return count == sizeof error ? -error : result;
}

static void *serve(void *unused) {
  (void)unused;
  pthread_mutex_lock(&lock);
  for (;;) {
    while (!pending) pthread_cond_wait(&changed, &lock);
    rig_request *request = pending;
    pending = NULL;
    request->result = fork_and_exec(request);
    request->is_done = true;
    pthread_cond_broadcast(&changed);
  }
  return NULL;
}

static int start_server(void) {
  if (is_started) return 0;
  pthread_t thread;
  int error = pthread_create(&thread, NULL, serve, NULL);
  if (error != 0) return -error;
  pthread_detach(thread);
  is_started = true;
  return 0;
}

int rig_child_spawn(const char *path, const char *const *arguments, const char *const *environment,
                    int input, int output, int error_output, int death_signal) {
  rig_request request = {.path = path,
                         .arguments = arguments,
                         .environment = environment,
                         .input = input,
                         .output = output,
                         .error_output = error_output,
                         .death_signal = death_signal};
  pthread_mutex_lock(&lock);
  int error = start_server();
  if (error != 0) {
    pthread_mutex_unlock(&lock);
    return error;
  }
  while (pending) pthread_cond_wait(&changed, &lock);
  pending = &request;
  pthread_cond_broadcast(&changed);
  while (!request.is_done) pthread_cond_wait(&changed, &lock);
  pthread_mutex_unlock(&lock);
  return request.result;
}
