/** Holes in the server's time: a stop of the server, or of a client that the microphone comes through. */
#ifndef RT_HOLE_H
#define RT_HOLE_H

#include "CRealtime.h"

/** Most frames that periods missed in a row are told by JACK's frame time alone: 50 ms, or a period. */
static inline uint32_t rt_hole_least_frames(const struct rt_cycle *cycle) RT_NONBLOCKING {
  const uint32_t least = cycle->sample_rate / 20;
  return least > cycle->period_frames ? least : cycle->period_frames;
}

/** A hole that is suspected; all zeros: none is. */
struct rt_hole {
  int64_t nanoseconds; /**< that passed besides the periods that were run; 0: none */
  uint32_t frame_time; /**< JACK's, of the last period before */
  uint32_t periods;    /**< since then, run or counted as missed */
};

/** Takes a callback and the one before it; what missed_frames already counted of the time between is no hole.
 *  Returns the frames of a hole longer than rt_hole_least_frames, of whole periods, once a callback has come at its
 *  usual time; else 0. [rt] */
uint32_t rt_hole_find(struct rt_hole *hole, const struct rt_cycle *last, const struct rt_cycle *cycle,
                      uint32_t missed_frames) RT_NONBLOCKING;

#endif
