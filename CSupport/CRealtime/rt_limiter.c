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

void rt_limiter_apply(struct rt_limiter *limiter, float *left, float *right, uint32_t frame_count, float peak,
                      uint32_t sample_rate) RT_NONBLOCKING {
  float reduction = limiter->reduction;
  if (reduction == 0.0f && peak <= threshold) return;
  const float keep = 1.0f - 1.0f / (release_seconds * (float)sample_rate);
  if (right == NULL) {
    for (uint32_t i = 0; i < frame_count; i++) {
      reduction = next_reduction(reduction, keep, magnitude_of(left[i]));
      left[i] *= 1.0f - reduction;
    }
    limiter->reduction = reduction;
    return;
  }
  for (uint32_t i = 0; i < frame_count; i++) {
    const float magnitude_left = magnitude_of(left[i]), magnitude_right = magnitude_of(right[i]);
    const float magnitude = magnitude_left > magnitude_right ? magnitude_left : magnitude_right;
    reduction = next_reduction(reduction, keep, magnitude);
    left[i] *= 1.0f - reduction;
    right[i] *= 1.0f - reduction;
  }
  limiter->reduction = reduction;
}
