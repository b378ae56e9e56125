/**
 * A fade: a position 0 (silent) ... 1 (full) that moves by a step a frame, and the gain p²(3 - 2p) it stands for,
 * close to a raised cosine: its slope is 0 at both ends, so neither the start nor the end of a fade clicks.
 */
#ifndef RT_FADE_H
#define RT_FADE_H

#include "rt_nonblocking.h"

#include <stdint.h>

/** Fades frame_count frames in place, going on from *position; step > 0 fades in, step < 0 out, then silence. [rt] */
void rt_fade_apply(float *frames, uint32_t frame_count, float *position, float step) RT_NONBLOCKING;

#endif
