#include "rt_limiter.h"

#include <stddef.h>

static const float threshold = 0.891f;
static const float knee_width = 0.99f - 0.891f;
static const float release_seconds = 0.1f;
/* Below -100 dB of gain change nobody hears the limiter end. */
static const float released = 1e-5f;

static float reduction_for(float magnitude) RT_NONBLOCKING;
static float reduction_for(float magnitude) RT_NONBLOCKING {
  const float excess = magnitude - threshold;
  const float limited = threshold + knee_width * excess / (excess + knee_width);
  return 1.0f - limited / magnitude;
}

static float magnitude_of(float frame) RT_NONBLOCKING;
static float magnitude_of(float frame) RT_NONBLOCKING {
  return frame < 0.0f ? -frame : frame;
}

/** Lets go, and is at once where a frame of that magnitude needs it. */
static float next_reduction(float reduction, float keep, float magnitude) RT_NONBLOCKING;
static float next_reduction(float reduction, float keep, float magnitude) RT_NONBLOCKING {
  const float kept = reduction > released ? reduction * keep : 0.0f;
  if (magnitude <= threshold) return kept;
  const float needed = reduction_for(magnitude);
  return needed > kept ? needed : kept;
}

/** What a frame's magnitude is to the curve, of a ceiling that may move. */
static float scale_of(struct rt_limiter *limiter) RT_NONBLOCKING;
static float scale_of(struct rt_limiter *limiter) RT_NONBLOCKING {
  return 1.0f / rt_glide_next(&limiter->ceiling);
}

void rt_limiter_apply(struct rt_limiter *limiter, float *left, float *right, uint32_t frame_count, float peak,
                      uint32_t sample_rate) RT_NONBLOCKING {
  float reduction = limiter->reduction;
  if (reduction == 0.0f && peak <= threshold * rt_glide_lowest(&limiter->ceiling)) {
    rt_glide_pass(&limiter->ceiling, frame_count);
    return;
  }
  const float keep = 1.0f - 1.0f / (release_seconds * (float)sample_rate);
  const bool is_moving = limiter->ceiling.frames > 0;
  float scale = is_moving ? 1.0f : scale_of(limiter);
  for (uint32_t i = 0; i < frame_count; i++) {
    if (is_moving) scale = scale_of(limiter);
    float magnitude = magnitude_of(left[i]);
    const float other = right != NULL ? magnitude_of(right[i]) : 0.0f;
    if (other > magnitude) magnitude = other;
    reduction = next_reduction(reduction, keep, magnitude * scale);
    left[i] *= 1.0f - reduction;
    if (right != NULL) right[i] *= 1.0f - reduction;
  }
  limiter->reduction = reduction;
}
