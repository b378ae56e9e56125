/**
 * struct rt_cycle behind a sequence lock, written by the callback only and read by anyone.
 *
 * Every field is an atomic, and there is no stand-alone fence, so ThreadSanitizer can follow it. The writer makes the
 * sequence odd, stores each field with release, makes the sequence even with release. A reader that loads (acquire)
 * a field of a newer period has thereby also got that period's odd sequence, and sees that it differs when it looks
 * again. The writer is wait-free; a reader retries while the callback is in those few stores.
 */
#ifndef RT_CYCLE_H
#define RT_CYCLE_H

#include "CRealtime.h"

#include <stdatomic.h>

struct rt_cycle_lock {
  _Atomic uint32_t sequence;
  _Atomic uint64_t count;
  _Atomic int64_t start_nanoseconds, next_nanoseconds, callback_nanoseconds;
  _Atomic uint32_t frame_time, period_frames, sample_rate;
};

/** Publishes a period. [rt] */
void rt_cycle_publish(struct rt_cycle_lock *lock, const struct rt_cycle *cycle) RT_NONBLOCKING;

#endif
