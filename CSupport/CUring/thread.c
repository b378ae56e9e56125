#define _GNU_SOURCE
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "CUring.h"

/** Stack that is made resident before the first wake-up. */
enum { TOUCHED_STACK_BYTES = 128 * 1024 };

/** Lies on the starter's stack, which waits for has_begun. */
struct thread_start {
  const struct uring_thread_settings *settings;
  int (*begin)(void *context, int32_t scheduling_error);
  void (*body)(void *context);
  void *context;
  int result;
  sem_t has_begun;
};

__attribute__((noinline)) static void touch_stack(void) {
  volatile uint8_t pages[TOUCHED_STACK_BYTES];
  for (size_t i = 0; i < sizeof pages; i += 4096) pages[i] = 0;
}

static int32_t ask_for_fifo(int32_t priority) {
  if (priority == 0) return 0;
  struct sched_param parameters = {.sched_priority = priority};
  return pthread_setschedparam(pthread_self(), SCHED_FIFO, &parameters);
}

static void *run_thread(void *argument) {
  struct thread_start *start = argument;
  void (*body)(void *context) = start->body;
  void *context = start->context;
  char name[16] = {0};
  strncpy(name, start->settings->name, sizeof name - 1);
  pthread_setname_np(pthread_self(), name);
  touch_stack();
  int result = start->begin(context, ask_for_fifo(start->settings->fifo_priority));
  start->result = result;
  sem_post(&start->has_begun);
  if (result == 0) body(context);
  return NULL;
}

/** Signals are for the other threads; faults must still reach their handlers. */
static void block_signals(sigset_t *previous_out) {
  static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS, SIGPROF};
  sigset_t blocked;
  sigfillset(&blocked);
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) sigdelset(&blocked, faults[i]);
  pthread_sigmask(SIG_SETMASK, &blocked, previous_out);
}

static int create_thread(pthread_t *thread_out, struct thread_start *start) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  int error = pthread_attr_setstacksize(&attributes, start->settings->stack_bytes);
  sigset_t previous;
  block_signals(&previous);
  if (error == 0) error = pthread_create(thread_out, &attributes, run_thread, start);
  pthread_sigmask(SIG_SETMASK, &previous, NULL);
  pthread_attr_destroy(&attributes);
  return -error;
}

int uring_thread_start(uint64_t *thread_out, const struct uring_thread_settings *settings,
                       int (*begin)(void *context, int32_t scheduling_error), void (*body)(void *context), void *context) {
  struct thread_start start = {.settings = settings, .begin = begin, .body = body, .context = context};
  sem_init(&start.has_begun, 0, 0);
  pthread_t thread;
  int error = create_thread(&thread, &start);
  if (error == 0) {
    while (sem_wait(&start.has_begun) < 0) {
    }
    error = start.result;
    if (error < 0) pthread_join(thread, NULL);
  }
  sem_destroy(&start.has_begun);
  if (error == 0) *thread_out = (uint64_t)thread;
  return error;
}

int uring_thread_set_priority(uint64_t thread, int32_t fifo_priority) {
  struct sched_param parameters = {.sched_priority = fifo_priority};
  return -pthread_setschedparam((pthread_t)thread, SCHED_FIFO, &parameters);
}

void uring_thread_join(uint64_t thread) {
  if (pthread_equal(pthread_self(), (pthread_t)thread)) {
    pthread_detach((pthread_t)thread);
  } else {
    pthread_join((pthread_t)thread, NULL);
  }
}

/** Bytes let go of at a time: who faults meanwhile, the audio thread too, waits no longer than this takes. */
enum { LET_GO_BYTES = 256 * 1024 };

static void let_go(uintptr_t begin, uintptr_t end, bool is_locked) {
  for (uintptr_t at = begin; at < end; at += LET_GO_BYTES) {
    const size_t bytes = end - at < LET_GO_BYTES ? end - at : LET_GO_BYTES;
    /* Locked pages cannot be let go. */
    if (is_locked) munlock((void *)at, bytes);
    madvise((void *)at, bytes, MADV_DONTNEED);
    if (is_locked) mlock2((void *)at, bytes, MLOCK_ONFAULT);
  }
}

/** Lets go of an object's code and constants: clean copies of its file, from whose cached pages they come back. */
static int forget_clean(struct dl_phdr_info *object, size_t size, void *is_locked) {
  (void)size;
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &object->dlpi_phdr[i];
    if (part->p_type != PT_LOAD || (part->p_flags & PF_W)) continue;
    const uintptr_t begin = (object->dlpi_addr + part->p_vaddr) & ~(page - 1);
    let_go(begin, object->dlpi_addr + part->p_vaddr + part->p_memsz, *(bool *)is_locked);
  }
  return 0;
}

void uring_forget_start(bool is_locked) { dl_iterate_phdr(forget_clean, &is_locked); }

int uring_lock_memory(void) {
  uring_forget_start(false);
  /* ONFAULT: without it every thread's whole 8 MiB stack would become resident. */
  return mlockall(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT) < 0 ? -errno : 0;
}

static int64_t nanoseconds_of(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

int64_t uring_now(void) { return nanoseconds_of(CLOCK_MONOTONIC); }

int64_t uring_thread_cpu(void) { return nanoseconds_of(CLOCK_THREAD_CPUTIME_ID); }

void *uring_same(void *pointer) { return pointer; }

void uring_yield(void) { sched_yield(); }
