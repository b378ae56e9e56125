/**
 * A gain on its way to where it is wanted: straight, and so slow that nobody hears a step. A way takes as long as asked
 * for, or a frame for each 1/1024 of it, whichever is longer: no frame differs from the next by more than -60 dB of
 * full scale on its account.
 */
#ifndef RT_GLIDE_H
#define RT_GLIDE_H

#include "rt_nonblocking.h"

#include <stdbool.h>
#include <stdint.h>

/** Kept as 1 - gain, so that all zeros are a gain of 1 at rest. */
struct rt_glide {
  float now, target, step;
  uint32_t frames; /**< left of the way from now to target */
};

/** Puts it there at once. [rt] */
void rt_glide_jump(struct rt_glide *glide, float gain) RT_NONBLOCKING;
/** Starts for another gain than before: down in fall_frames or more, up in rise_frames or more. [rt] */
void rt_glide_aim(struct rt_glide *glide, float gain, uint32_t fall_frames, uint32_t rise_frames) RT_NONBLOCKING;
/** Multiplies frames by it; right may be NULL. [rt] */
void rt_glide_apply(struct rt_glide *glide, float *left, float *right, uint32_t frame_count) RT_NONBLOCKING;
/** Lets frames pass without applying it. [rt] */
void rt_glide_pass(struct rt_glide *glide, uint32_t frame_count) RT_NONBLOCKING;

/** Whether it is 1 and stays so. [rt] */
static inline bool rt_glide_is_unity(const struct rt_glide *glide) RT_NONBLOCKING {
  return glide->frames == 0 && glide->now == 0.0f;
}

/** The lowest that it is before another is wanted. [rt] */
static inline float rt_glide_lowest(const struct rt_glide *glide) RT_NONBLOCKING {
  return 1.0f - (glide->now > glide->target ? glide->now : glide->target);
}

/** The gain of the next frame. [rt] */
static inline float rt_glide_next(struct rt_glide *glide) RT_NONBLOCKING {
  if (glide->frames == 0) return 1.0f - glide->now;
  glide->frames--;
  /* The end of the way exactly, without the rounding of the steps. */
  glide->now = glide->frames == 0 ? glide->target : glide->now + glide->step;
  return 1.0f - glide->now;
}

#endif
