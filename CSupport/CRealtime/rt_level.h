/** Levels: the measure of a block of frames, and the meter that gathers them for readers on other threads. */
#ifndef RT_LEVEL_H
#define RT_LEVEL_H

#include "rt_nonblocking.h"

#include <stdatomic.h>
#include <stdint.h>

/** What a block of frames amounts to; linear, the peak is a magnitude. */
struct rt_measure {
  float peak;
  float square_sum;
};

/** Measures a block. Frames that are not numbers, or beyond any sound (1e6), are replaced by 0 first: one of them would
 *  stay in every filter after it for good, here and in the peers' decoders. [rt] */
struct rt_measure rt_measure_clean(float *frames, uint32_t frame_count) RT_NONBLOCKING;

/** A meter. The callback alone stores it; all relaxed, so that anybody may read at any time and disturbs nobody. */
struct rt_level {
  _Atomic float peak; /**< of the present window and the one before */
  _Atomic float mean_square;
  _Atomic uint32_t sequence; /**< windows that have ended */

  /* The callback's own. */
  _Atomic float window_peak, last_peak;
  _Atomic uint32_t window_frames;
};

/** Adds a block of period_frames to a meter: its peak, which is held for a quarter to half a second, and its mean
 *  square, averaged exponentially over 300 ms. [rt] */
void rt_level_feed(struct rt_level *level, struct rt_measure block, uint32_t period_frames,
                   uint32_t sample_rate) RT_NONBLOCKING;
/** Back to silence. [rt] */
void rt_level_rest(struct rt_level *level) RT_NONBLOCKING;

#endif
