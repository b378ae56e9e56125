#include "rt_cycle.h"

void rt_cycle_publish(struct rt_cycle_lock *lock, const struct rt_cycle *cycle) RT_NONBLOCKING {
  /* Made even: a writer that was killed in between, with jackd, leaves it odd. */
  const uint32_t sequence = (atomic_load_explicit(&lock->sequence, memory_order_relaxed) + 1) & ~UINT32_C(1);
  atomic_store_explicit(&lock->sequence, sequence + 1, memory_order_relaxed);
  atomic_store_explicit(&lock->count, cycle->count, memory_order_release);
  atomic_store_explicit(&lock->start_nanoseconds, cycle->start_nanoseconds, memory_order_release);
  atomic_store_explicit(&lock->next_nanoseconds, cycle->next_nanoseconds, memory_order_release);
  atomic_store_explicit(&lock->callback_nanoseconds, cycle->callback_nanoseconds, memory_order_release);
  atomic_store_explicit(&lock->frame_time, cycle->frame_time, memory_order_release);
  atomic_store_explicit(&lock->period_frames, cycle->period_frames, memory_order_release);
  atomic_store_explicit(&lock->sample_rate, cycle->sample_rate, memory_order_release);
  atomic_store_explicit(&lock->sequence, sequence + 2, memory_order_release);
}
