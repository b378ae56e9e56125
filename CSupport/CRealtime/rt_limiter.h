/**
 * The soft limiter of a bus: stereo linked, no look-ahead, so no delay.
 *
 * Below the threshold of 0.891 (-1 dBFS) a frame passes bit for bit, unless the limiter is still letting go. Above it
 * the louder channel follows y = T + w·e/(e + w), with e the excess over T and w = 0.99 - T: slope 1 at the threshold,
 * never above 0.99. The gain that takes is reached within the frame and let go with a time constant of 100 ms; in
 * between every frame is held below the curve, so nothing overshoots. An instant of curve and then a slow gain is less
 * distortion than clipping and, unlike a look-ahead, costs no latency. Under a ceiling c all of that is scaled by c.
 */
#ifndef RT_LIMITER_H
#define RT_LIMITER_H

#include "rt_glide.h"
#include "rt_nonblocking.h"

#include <stdint.h>

/** 1 - gain now; kept as the difference because near 1 a float could no longer tell the last of the release. */
struct rt_limiter {
  float reduction;
  struct rt_glide ceiling; /**< the curve is scaled by it, as a whole; 1 in all but the main bus */
};

/** Limits frame_count frames in place; peak is the highest magnitude among them, from rt_measure_clean. right is NULL
 *  of a mono bus. [rt] */
void rt_limiter_apply(struct rt_limiter *limiter, float *left, float *right, uint32_t frame_count, float peak,
                      uint32_t sample_rate) RT_NONBLOCKING;

#endif
