/* Which holes are holes.
 *
 * The clock tells that time passed; JACK's frame time tells how much to the frame, where a client stopped and the
 * server ran on. A server that itself stopped counts on from anywhere (jackd 1.9.21 adds microseconds to frames
 * then), so its word holds only where the clock's is within a period and an eighth of it.
 *
 * States: none suspected; suspected. Events: a callback.
 * - none → suspected: so much more time than a period has passed since the callback before.
 * - suspected, a callback less than half a period after the one before: the server makes up for late periods, and the
 *   hole shrinks.
 * - suspected → none, a callback at its usual time: what is left of the hole is one. */
#include "rt_hole.h"

static int64_t nanoseconds_of(uint32_t frames, uint32_t rate) RT_NONBLOCKING;
static int64_t nanoseconds_of(uint32_t frames, uint32_t rate) RT_NONBLOCKING {
  return (int64_t)frames * INT64_C(1000000000) / rate;
}

/** The hole's frames: by JACK if the clock agrees, else by the clock. */
static uint32_t measured(const struct rt_hole *hole, const struct rt_cycle *cycle) RT_NONBLOCKING;
static uint32_t measured(const struct rt_hole *hole, const struct rt_cycle *cycle) RT_NONBLOCKING {
  const int64_t period = cycle->period_frames;
  const int64_t by_clock = hole->nanoseconds / 1000 * cycle->sample_rate / 1000000;
  const int64_t by_jack = (int64_t)(cycle->frame_time - hole->frame_time) - hole->periods * period;
  const int64_t apart = by_jack > by_clock ? by_jack - by_clock : by_clock - by_jack;
  const bool is_told = by_jack > 0 && by_jack % period == 0 && apart <= period + by_clock / 8;
  const int64_t frames = is_told ? by_jack : (by_clock + period / 2) / period * period;
  return frames < UINT32_MAX ? (uint32_t)frames : 0;
}

uint32_t rt_hole_find(struct rt_hole *hole, const struct rt_cycle *last, const struct rt_cycle *cycle,
                      uint32_t missed_frames) RT_NONBLOCKING {
  if (last->period_frames == 0 || last->period_frames != cycle->period_frames ||
      last->sample_rate != cycle->sample_rate) {
    *hole = (struct rt_hole){0};
    return 0;
  }
  const int64_t period = nanoseconds_of(cycle->period_frames, cycle->sample_rate);
  const int64_t elapsed = cycle->callback_nanoseconds - last->callback_nanoseconds;
  const int64_t missed = nanoseconds_of(missed_frames, cycle->sample_rate);
  const int64_t surplus = elapsed - period - missed;
  if (surplus > nanoseconds_of(rt_hole_least_frames(cycle), cycle->sample_rate) + period / 2) {
    if (hole->nanoseconds == 0) *hole = (struct rt_hole){.frame_time = last->frame_time};
    hole->nanoseconds += surplus;
    hole->periods += 1 + missed_frames / cycle->period_frames;
    return 0;
  }
  if (hole->nanoseconds == 0) return 0;
  hole->periods += 1 + missed_frames / cycle->period_frames;
  const bool is_hasty = elapsed < period / 2;
  hole->nanoseconds += is_hasty ? surplus : -missed;
  if (is_hasty && hole->nanoseconds >= period) return 0;
  const uint32_t frames = hole->nanoseconds >= period ? measured(hole, cycle) : 0;
  *hole = (struct rt_hole){0};
  return frames;
}
