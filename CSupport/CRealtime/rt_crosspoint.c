#include "rt_crosspoint.h"

#include <stddef.h>

void rt_crosspoint_jump(struct rt_crosspoint *crosspoint, struct rt_sides wanted) RT_NONBLOCKING {
  crosspoint->now = wanted;
  crosspoint->target = wanted;
  crosspoint->ramp_frames = 0;
}

void rt_crosspoint_aim(struct rt_crosspoint *crosspoint, struct rt_sides wanted, uint32_t sample_rate) RT_NONBLOCKING {
  if (wanted.left == crosspoint->target.left && wanted.right == crosspoint->target.right) return;
  const uint32_t frames = rt_ramp_frames(sample_rate);
  const float share = 1.0f / (float)frames;
  crosspoint->target = wanted;
  crosspoint->step.left = (wanted.left - crosspoint->now.left) * share;
  crosspoint->step.right = (wanted.right - crosspoint->now.right) * share;
  crosspoint->ramp_frames = frames;
}

/** The ramping part: the gain moves every frame. Returns its length. */
static uint32_t add_ramping(struct rt_crosspoint *crosspoint, const float *frames, float *left, float *right,
                            uint32_t frame_count) RT_NONBLOCKING;
static uint32_t add_ramping(struct rt_crosspoint *crosspoint, const float *frames, float *left, float *right,
                            uint32_t frame_count) RT_NONBLOCKING {
  const uint32_t count = crosspoint->ramp_frames < frame_count ? crosspoint->ramp_frames : frame_count;
  struct rt_sides now = crosspoint->now;
  for (uint32_t i = 0; i < count; i++) {
    now.left += crosspoint->step.left;
    now.right += crosspoint->step.right;
    left[i] += frames[i] * now.left;
    if (right != NULL) right[i] += frames[i] * now.right;
  }
  crosspoint->ramp_frames -= count;
  /* The end of the way exactly, without the rounding of the steps. */
  crosspoint->now = crosspoint->ramp_frames == 0 ? crosspoint->target : now;
  return count;
}

static void add_steady(float gain, const float *restrict frames, float *restrict side,
                       uint32_t frame_count) RT_NONBLOCKING;
static void add_steady(float gain, const float *restrict frames, float *restrict side,
                       uint32_t frame_count) RT_NONBLOCKING {
  if (gain == 0.0f) return;
  for (uint32_t i = 0; i < frame_count; i++) side[i] += frames[i] * gain;
}

void rt_crosspoint_add(struct rt_crosspoint *crosspoint, const float *frames, float *left, float *right,
                       uint32_t frame_count) RT_NONBLOCKING {
  const uint32_t done = add_ramping(crosspoint, frames, left, right, frame_count);
  add_steady(crosspoint->now.left, frames + done, left + done, frame_count - done);
  if (right != NULL) add_steady(crosspoint->now.right, frames + done, right + done, frame_count - done);
}
