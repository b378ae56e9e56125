/**
 * Concealment where a ring ran dry: the last pitch period goes on, after the idea of ITU-T G.711 Appendix I,
 * without its delay.
 *
 * Where a period is not there, the lag of 2.5 to 10 ms is looked for at which the sound that was played last resembles
 * itself most, and what sounded a lag ago sounds again: as loud for 10 ms, then fading away within 10 ms. Where it does
 * not meet the last frame it is bent to, for 32 frames. Sound that comes back kept its time, so it is cross-faded to
 * within 64 frames, and a steady tone goes on as if nothing had been. Above 136 kHz the history is too short, and
 * nothing is concealed.
 *
 * What was played last is still in the ring, behind what was read: it is copied from there when it is needed, so that
 * a period that is there costs a counter. From then on it is kept here, until the ring has all of it again.
 */
#ifndef RT_CONCEAL_H
#define RT_CONCEAL_H

#include "rt_ring_layout.h"

#include <stdbool.h>

/* The power of two that holds the longest lag at 96 kHz, and what is compared. */
enum { RT_CONCEAL_FRAMES = 2048 };
/** Searches a period: 64 rings that run dry together must not cost the callback its time. One takes 5 µs at 48 kHz. */
enum { RT_CONCEAL_SEARCHES = 4 };

/** What was played last, while the ring has other sound. */
struct rt_conceal_past {
  uint32_t end;       /**< where the next frame goes, modulo RT_CONCEAL_FRAMES */
  uint32_t concealed; /**< frames in a row, those of the cross-fade back among them */
  uint32_t joined;    /**< frames of the cross-fade back */
  uint32_t bent;      /**< frames in which the bend was evened out */
  float bend;         /**< how far the last frame was from the one a lag before it */
  float frames[RT_CONCEAL_FRAMES]; /**< a circle */
};

/** The callback's own; all zeros but for the pointer: nothing was played yet. */
struct rt_conceal {
  struct rt_conceal_past *past;
  uint32_t known; /**< frames that were read and played in a row up to now, RT_CONCEAL_FRAMES at most */
  uint32_t lag;   /**< 0: nothing is concealed */
  bool is_apart;  /**< what was played last is in *past */
};

/** Nothing was played yet. [rt] */
void rt_conceal_forget(struct rt_conceal *conceal) RT_NONBLOCKING;
/** Concealment ends here: what comes next has another time. [rt] */
void rt_conceal_break(struct rt_conceal *conceal) RT_NONBLOCKING;
/** What rt_conceal_follow does after concealment. [rt] */
void rt_conceal_join(struct rt_conceal *conceal, float *frames, uint32_t frame_count,
                     uint32_t sample_rate) RT_NONBLOCKING;
/** Writes frames in place of some that the ring does not have, all of whose others were read. Begins only where
 *  may_begin, what was played resembles itself, and *searches, which a search takes one from, is not 0. Returns how
 *  many; fewer than frame_count where it ends. [rt] */
uint32_t rt_conceal_extend(struct rt_conceal *conceal, const struct rt_ring *ring, float *frames, uint32_t frame_count,
                           uint32_t sample_rate, bool may_begin, uint32_t *searches) RT_NONBLOCKING;

/** Takes what was read from the ring and is to be played next; after concealment it is cross-faded to, in place.
 *  [rt] */
static inline void rt_conceal_follow(struct rt_conceal *conceal, float *frames, uint32_t frame_count,
                                     uint32_t sample_rate) RT_NONBLOCKING {
  if (conceal->is_apart) {
    rt_conceal_join(conceal, frames, frame_count, sample_rate);
  } else {
    const uint32_t left = RT_CONCEAL_FRAMES - conceal->known;
    conceal->known += frame_count < left ? frame_count : left;
  }
}

#endif
