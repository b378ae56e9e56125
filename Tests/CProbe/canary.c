#define _GNU_SOURCE

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "CProbe.h"

struct rig_canary {
  pthread_t thread;
  int64_t interval_nanoseconds, late_nanoseconds;
  atomic_bool is_ending;
  _Atomic uint64_t late;
  _Atomic int64_t worst_nanoseconds;
};

static int64_t now_nanoseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void *live(void *argument) {
  rig_canary *canary = argument;
  int64_t due = now_nanoseconds();
  while (!atomic_load_explicit(&canary->is_ending, memory_order_acquire)) {
    due += canary->interval_nanoseconds;
    const struct timespec until = {.tv_sec = due / 1000000000, .tv_nsec = due % 1000000000};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR) continue;
    const int64_t lateness = now_nanoseconds() - due;
    if (lateness > canary->late_nanoseconds)
      atomic_fetch_add_explicit(&canary->late, 1, memory_order_relaxed);
    if (lateness > atomic_load_explicit(&canary->worst_nanoseconds, memory_order_relaxed))
      atomic_store_explicit(&canary->worst_nanoseconds, lateness, memory_order_relaxed);
    /* What was slept over is not made up for. */
    if (lateness > canary->interval_nanoseconds) due += lateness;
  }
  return NULL;
}

rig_canary *rig_canary_create(int priority, int64_t interval_nanoseconds, int64_t late_nanoseconds,
                              int *error) {
  rig_canary *canary = calloc(1, sizeof *canary);
  *error = canary ? 0 : -ENOMEM;
  if (!canary) return NULL;
  canary->interval_nanoseconds = interval_nanoseconds;
  canary->late_nanoseconds = late_nanoseconds;
  const struct sched_param parameter = {.sched_priority = priority};
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED);
  pthread_attr_setschedpolicy(&attributes, SCHED_FIFO);
  pthread_attr_setschedparam(&attributes, &parameter);
  *error = -pthread_create(&canary->thread, &attributes, live, canary);
  pthread_attr_destroy(&attributes);
  if (*error == 0) return canary;
  free(canary);
  return NULL;
}

void rig_canary_destroy(rig_canary *canary) {
  if (!canary) return;
  atomic_store_explicit(&canary->is_ending, true, memory_order_release);
  pthread_join(canary->thread, NULL);
  free(canary);
}

uint64_t rig_canary_late(const rig_canary *canary) {
  return atomic_load_explicit(&canary->late, memory_order_relaxed);
}

int64_t rig_canary_take_worst_nanoseconds(rig_canary *canary) {
  return atomic_exchange_explicit(&canary->worst_nanoseconds, 0, memory_order_relaxed);
}
