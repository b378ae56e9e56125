/**
 * What a place around the head is made of; see include/rt_place.h.
 *
 * The loop writes the responses under a sequence lock, and counts changes of all slots (rt_shared.place_changes): while
 * that stands, the callback looks at no slot's. Else it copies them at a period's start, unless a change is under way
 * or a cross-fade: one try a period, so that it never waits.
 */
#ifndef RT_PLACE_LAYOUT_H
#define RT_PLACE_LAYOUT_H

#include "rt_nonblocking.h"
#include "rt_place.h"

#include <stdatomic.h>
#include <stdbool.h>

/** What the loop sets for the callback; all zeros: not placed. */
struct rt_place_shared {
  _Atomic uint32_t sequence; /**< odd: it is being written */
  _Atomic uint32_t taps;     /**< 0: not placed */
  _Atomic float left[RT_PLACE_TAPS], right[RT_PLACE_TAPS];
};

/** Two impulse responses, or the pan in their place. */
struct rt_responses {
  uint32_t taps; /**< 0: the pan */
  float left[RT_PLACE_TAPS], right[RT_PLACE_TAPS];
};

/** What only a slot that is placed, or gets or leaves a place, needs. */
struct rt_place_sound {
  struct rt_place_shared *shared;
  uint32_t sequence;    /**< of what was taken; odd: of nothing */
  uint32_t fade_frames; /**< left of the way from the former one */
  uint32_t present;     /**< which of the two is heard, or will be */
  struct rt_responses responses[2];
  float past[RT_PLACE_TAPS - 1]; /**< what was heard last, while it is placed */
};

/** The callback's own of a slot. */
struct rt_place {
  struct rt_place_sound *sound;
  bool is_active; /**< it filters, or fades to or from that */
  bool waits;     /**< there may be another that was not taken yet */
};

/** Frames that are read beyond the last. */
enum { RT_PLACE_BLOCK = 16 };

/** The slot begins to sound, where it was put last. [rt] */
void rt_place_begin(struct rt_place *place) RT_NONBLOCKING;
/** Takes over what the loop put there, at a period's start; looks only if some slot's place changed since the last, or
 *  this one's was not taken yet. [rt] */
void rt_place_follow(struct rt_place *place, bool have_changed) RT_NONBLOCKING;
/** Adds frames to both sides, as the ears have them. They are at line + RT_PLACE_TAPS - 1, where there is room for
 *  RT_PLACE_BLOCK more. [rt] */
void rt_place_add(struct rt_place *place, float *line, float *left, float *right, uint32_t frame_count) RT_NONBLOCKING;

/** How much of the next frame but so many is heard of what is to be heard; the rest is of the former. [rt] */
static inline float rt_place_share(const struct rt_place_sound *sound, uint32_t frame) RT_NONBLOCKING {
  if (frame >= sound->fade_frames) return 1.0f;
  return 1.0f - (float)(sound->fade_frames - frame) * (1.0f / RT_PLACE_FADE_FRAMES);
}

/** How much of the next frame but so many is heard by the pan. [rt] */
static inline float rt_place_panned(const struct rt_place_sound *sound, uint32_t frame) RT_NONBLOCKING {
  const float share = rt_place_share(sound, frame);
  float panned = 0.0f;
  if (sound->responses[sound->present].taps == 0) panned += share;
  if (sound->responses[1 - sound->present].taps == 0) panned += 1.0f - share;
  return panned;
}

#endif
