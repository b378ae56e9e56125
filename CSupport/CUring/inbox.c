#define _GNU_SOURCE
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "CUring.h"

/*
 * Other threads' jobs: a bounded queue of cells, each with a sequence number that says whose turn it is. A producer
 * claims a position by moving tail (relaxed), writes the job and releases sequence = position + 1; the consumer
 * acquires it, takes the job and releases sequence = position + capacity for the next lap. Lock-free for producers; the
 * consumer is wait-free.
 *
 * The loop's own jobs: an ordinary growing ring that no other thread touches.
 */
struct cell {
  _Atomic uint64_t sequence;
  uint64_t job;
};

struct uring_inbox {
  int wake_fd;
  uint64_t mask;
  struct cell *cells;
  char pad_before_tail[64];
  _Atomic uint64_t tail;
  char pad_before_signal[64];
  _Atomic bool is_signalled;
  char pad_before_head[64];
  uint64_t head;
  bool prefers_others;
  uint64_t *own;
  uint64_t own_head, own_tail, own_mask;
};

static _Thread_local uring_inbox *current_inbox;

int uring_inbox_create(uring_inbox **inbox_out, uint32_t capacity) {
  if (capacity < 2 || (capacity & (capacity - 1)) != 0) return -EINVAL;
  uring_inbox *inbox = calloc(1, sizeof *inbox);
  if (!inbox) return -ENOMEM;
  inbox->mask = capacity - 1;
  inbox->own_mask = capacity - 1;
  inbox->cells = calloc(capacity, sizeof *inbox->cells);
  inbox->own = calloc(capacity, sizeof *inbox->own);
  /* Not EFD_NONBLOCK: io_uring would answer EAGAIN instead of waiting. A write blocks only at 2^64 - 1. */
  inbox->wake_fd = eventfd(0, EFD_CLOEXEC);
  int error = inbox->wake_fd < 0 ? -errno : 0;
  if (error < 0 || !inbox->cells || !inbox->own) {
    uring_inbox_destroy(inbox);
    return error < 0 ? error : -ENOMEM;
  }
  for (uint32_t i = 0; i < capacity; i++) {
    atomic_init(&inbox->cells[i].sequence, i);
    inbox->own[i] = 0;
  }
  *inbox_out = inbox;
  return 0;
}

void uring_inbox_destroy(uring_inbox *inbox) {
  if (!inbox) return;
  if (inbox->wake_fd >= 0) close(inbox->wake_fd);
  free(inbox->cells);
  free(inbox->own);
  free(inbox);
}

int uring_inbox_wake_fd(const uring_inbox *inbox) { return inbox->wake_fd; }

static void grow_own(uring_inbox *inbox) {
  uint64_t capacity = inbox->own_mask + 1;
  uint64_t *grown = calloc(capacity * 2, sizeof *grown);
  if (!grown) abort(); /* a job that is lost hangs its task for ever */
  for (uint64_t i = 0; i < capacity; i++) grown[i] = inbox->own[(inbox->own_head + i) & inbox->own_mask];
  free(inbox->own);
  inbox->own = grown;
  inbox->own_head = 0;
  inbox->own_tail = capacity;
  inbox->own_mask = capacity * 2 - 1;
}

static bool push_from_outside(uring_inbox *inbox, uint64_t job) {
  uint64_t position = atomic_load_explicit(&inbox->tail, memory_order_relaxed);
  for (;;) {
    struct cell *cell = &inbox->cells[position & inbox->mask];
    uint64_t sequence = atomic_load_explicit(&cell->sequence, memory_order_acquire);
    int64_t distance = (int64_t)(sequence - position);
    if (distance < 0) return false;
    if (distance > 0) {
      position = atomic_load_explicit(&inbox->tail, memory_order_relaxed);
    } else if (atomic_compare_exchange_weak_explicit(&inbox->tail, &position, position + 1, memory_order_relaxed,
                                                     memory_order_relaxed)) {
      cell->job = job;
      atomic_store_explicit(&cell->sequence, position + 1, memory_order_release);
      return true;
    }
  }
}

bool uring_inbox_push(uring_inbox *inbox, uint64_t job) {
  if (current_inbox == inbox) {
    if (inbox->own_tail - inbox->own_head > inbox->own_mask) grow_own(inbox);
    inbox->own[inbox->own_tail++ & inbox->own_mask] = job;
    return true;
  }
  bool is_pushed = push_from_outside(inbox, job);
  uring_inbox_signal(inbox);
  return is_pushed;
}

static bool pop_own(uring_inbox *inbox, uint64_t *job_out) {
  if (inbox->own_head == inbox->own_tail) return false;
  *job_out = inbox->own[inbox->own_head++ & inbox->own_mask];
  return true;
}

static bool pop_others(uring_inbox *inbox, uint64_t *job_out) {
  struct cell *cell = &inbox->cells[inbox->head & inbox->mask];
  uint64_t sequence = atomic_load_explicit(&cell->sequence, memory_order_acquire);
  if (sequence != inbox->head + 1) return false;
  *job_out = cell->job;
  atomic_store_explicit(&cell->sequence, inbox->head + inbox->mask + 1, memory_order_release);
  inbox->head++;
  return true;
}

bool uring_inbox_pop(uring_inbox *inbox, uint64_t *job_out) {
  inbox->prefers_others = !inbox->prefers_others;
  if (inbox->prefers_others) return pop_others(inbox, job_out) || pop_own(inbox, job_out);
  return pop_own(inbox, job_out) || pop_others(inbox, job_out);
}

bool uring_inbox_has_own(const uring_inbox *inbox) { return inbox->own_head != inbox->own_tail; }

void uring_inbox_signal(uring_inbox *inbox) {
  if (atomic_exchange_explicit(&inbox->is_signalled, true, memory_order_acq_rel)) return;
  uint64_t value = URING_SIGNAL;
  while (write(inbox->wake_fd, &value, sizeof value) < 0 && errno == EINTR) {
  }
}

bool uring_inbox_open(uring_inbox *inbox) {
  /* A read-modify-write, not a store: it acquires the jobs of every push whose signal it takes back. */
  return atomic_exchange_explicit(&inbox->is_signalled, false, memory_order_acq_rel);
}

/* Swift asks from inlined code that may have moved to another thread meanwhile; never let the address be cached. */
__attribute__((noinline)) uring_inbox *uring_inbox_enter(uring_inbox *inbox) {
  uring_inbox *previous = current_inbox;
  current_inbox = inbox;
  return previous;
}

__attribute__((noinline)) bool uring_inbox_is_current(const uring_inbox *inbox) { return current_inbox == inbox; }
