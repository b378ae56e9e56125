/** The gain of a sound on a bus, on its way to where it was set. */
#ifndef RT_CROSSPOINT_H
#define RT_CROSSPOINT_H

#include "CRealtime.h"

/** Of gain and pan: long enough that a full change makes no click, short enough to follow a fader. */
enum { RT_RAMPS_PER_SECOND = 100 };

/** What each side gets of a mono sound. */
struct rt_sides {
  float left, right;
};

/** The way takes 1 / RT_RAMPS_PER_SECOND; all zeros: silent. */
struct rt_crosspoint {
  struct rt_sides now, target, step;
  uint32_t ramp_frames; /**< left of the way from now to target */
};

/** Puts it there at once. [rt] */
void rt_crosspoint_jump(struct rt_crosspoint *crosspoint, struct rt_sides wanted) RT_NONBLOCKING;
/** Starts a new ramp when something else is wanted than before. [rt] */
void rt_crosspoint_aim(struct rt_crosspoint *crosspoint, struct rt_sides wanted, uint32_t sample_rate) RT_NONBLOCKING;
/** Adds frames to both sides, or to the left one alone where right is NULL. [rt] */
void rt_crosspoint_add(struct rt_crosspoint *crosspoint, const float *frames, float *left, float *right,
                       uint32_t frame_count) RT_NONBLOCKING;
/** Whether it is silent, and stays so. [rt] */
static inline bool rt_crosspoint_is_silent(const struct rt_crosspoint *crosspoint) RT_NONBLOCKING {
  return crosspoint->ramp_frames == 0 && crosspoint->now.left == 0.0f && crosspoint->now.right == 0.0f;
}
/** The gains, for one period, of what the left is to have more of a sound than the right. [rt] */
static inline struct rt_crosspoint rt_crosspoint_of_side(const struct rt_crosspoint *crosspoint) RT_NONBLOCKING {
  struct rt_crosspoint sides = *crosspoint;
  sides.now.right = -sides.now.right;
  sides.target.right = -sides.target.right;
  sides.step.right = -sides.step.right;
  return sides;
}
/** Frames of a whole ramp. [rt] */
static inline uint32_t rt_ramp_frames(uint32_t sample_rate) RT_NONBLOCKING {
  return sample_rate / RT_RAMPS_PER_SECOND > 0 ? sample_rate / RT_RAMPS_PER_SECOND : 1;
}
/** Within 0 ... most, and 0 for what is no number: what is shared is believed only within bounds. [rt] */
static inline float rt_bounded(float value, float most) RT_NONBLOCKING {
  if (!(value > 0.0f)) return 0.0f;
  return value < most ? value : most;
}

#endif
