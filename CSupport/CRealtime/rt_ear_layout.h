/** What the ear is made of; see include/rt_ear.h. */
#ifndef RT_EAR_LAYOUT_H
#define RT_EAR_LAYOUT_H

#include "rt_ear.h"
#include "rt_glide.h"

#include <stdatomic.h>

/** What the loop sets for the callback. */
struct rt_ear_shared {
  _Atomic float dims[RT_RANKS][RT_RANKS]; /**< of a rank, while another sounds */
  _Atomic float talk_dims[RT_RANKS];
  _Atomic float volume, ceiling;
  _Atomic uint32_t is_talking, is_tracking; /**< 0 or not */
};

/** The callback's own. */
struct rt_ear {
  uint32_t sounding;                /**< the highest rank that sounds in this period; 0: none */
  uint32_t sounding_frames[RT_RANKS]; /**< for so long a rank counts as sounding yet */
  struct rt_glide volume;
};

struct rt_desk;
struct rt_mix;

/** Dims nothing, at full volume. [control] */
void rt_ear_init(struct rt_ear_shared *ear);
/** Begins a period: which rank sounds, by what was heard up to the one before. [rt] */
void rt_ear_begin(struct rt_desk *desk, const struct rt_mix *mix) RT_NONBLOCKING;
/** Aims the dim of a slot, whose period was just taken, and takes in whether it sounds; one that has just begun is
 *  where it belongs at once. [rt] */
void rt_ear_follow(struct rt_desk *desk, uint32_t slot, const struct rt_mix *mix, bool has_begun) RT_NONBLOCKING;
/** Ends a period: the volume of the main bus, before the sidetone and the limiter. [rt] */
void rt_ear_end(struct rt_desk *desk, const struct rt_mix *mix) RT_NONBLOCKING;
/** The factor of the sidetone. [rt] */
float rt_ear_sidetone(const struct rt_desk *desk) RT_NONBLOCKING;

#endif
