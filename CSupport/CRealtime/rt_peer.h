/**
 * One peer's place in the mix, and what it gives to the main bus; see rt_bus_layout.h of the others.
 *
 * States, in rt_peer.state:
 *   IDLE ──attach [loop]──▶ ATTACHED ──first period [rt]──▶ SOUNDING ──detach [loop]──▶ LEAVING
 *   LEAVING ──faded out [rt]──▶ IDLE
 *   ATTACHED ──detach [loop]──▶ IDLE (never sounded)
 *   when JACK is closed [control]: SOUNDING ──▶ ATTACHED, LEAVING ──▶ IDLE
 * The callback owns the reading side of the ring and its rt_voice in SOUNDING and LEAVING; in IDLE the loop owns the
 * ring, and may empty it. Both hand over with release and take with acquire. rt_shared.active_slots
 * has a bit set for every slot that is not IDLE (and for a moment for some that are): where the callback must look.
 *
 * Fades: 64 frames in, when a peer begins or comes back after a gap; 32 frames out, when its ring ran dry and nothing
 * is known to be played in its place (rt_conceal.h); 5 ms out on detach. A ring that ran dry on the very last frame of
 * a period leaves nothing to fade, so its last frame is held under the fade: no step, and no frame of delay spent on
 * looking ahead.
 */
#ifndef RT_PEER_H
#define RT_PEER_H

#include "rt_conceal.h"
#include "rt_crosspoint.h"
#include "rt_glide.h"
#include "rt_level.h"
#include "rt_place_layout.h"
#include "rt_ring_layout.h"

#include <stdbool.h>
#include <stddef.h>

enum { RT_FADE_IN_FRAMES = 64, RT_FADE_OUT_FRAMES = 32 };

enum rt_peer_state { RT_PEER_IDLE, RT_PEER_ATTACHED, RT_PEER_SOUNDING, RT_PEER_LEAVING };

/** The three factors of a peer's sound. */
struct rt_gains {
  float mono, left, right;
};

/** What the loop and the callback share of a peer; may lie in memory that another process writes to. */
struct rt_peer {
  struct rt_ring_indices ring;
  _Alignas(RT_CACHE_LINE_BYTES) _Atomic uint32_t state; /**< enum rt_peer_state */
  _Atomic uint32_t is_playing;                          /**< 0 or not */
  _Atomic float gain;
  _Atomic uint32_t rank; /**< see rt_ear.h */
  _Atomic uint32_t side; /**< 0: one channel; n: its side is in rt_shared.side_frames[n - 1], at the ring's places */
  _Atomic uint64_t pan; /**< the left and right factor, packed so that they change together */
  _Atomic uint64_t underrun_frames;
  struct rt_level level;
};

/** A peer in this process: the way to what is shared, and the callback's own. What every period touches lies together,
 *  in two cache lines, as the cache is cold when a period begins; the rest follows. */
struct rt_voice {
  _Alignas(RT_CACHE_LINE_BYTES) struct rt_peer *peer;
  struct rt_ring ring;
  struct rt_gains now, target;
  uint32_t ramp_frames; /**< left of the way from now to target */
  float fade;           /**< position, see rt_fade.h */
  float held;           /**< the last frame played */
  float peak;           /**< of this period, before gain */
  struct rt_glide dim;  /**< on the main bus; see rt_ear_layout.h */
  struct rt_place place; /**< the same */
  struct rt_conceal conceal;

  struct rt_gains step;       /**< of each frame of the way to target */
  float fade_side, held_side; /**< fade and held of the side, which is not concealed */
  float *side; /**< the loop's: where it writes the side, beside the ring; NULL: one channel */
};

_Static_assert(offsetof(struct rt_voice, step) <= 2 * RT_CACHE_LINE_BYTES, "what every period touches");

/** Two factors in one word, for rt_peer.pan. */
union rt_pan {
  struct {
    float left, right;
  } factors;
  uint64_t word;
};

/** What all peers of a period share. */
struct rt_mix {
  float *left, *right; /**< summed into */
  float *scratch;      /**< period_frames floats */
  float *side;         /**< the same for the side of a slot of two channels; NULL of others */
  float *line;         /**< room for what rt_place_add takes */
  const float *beside; /**< where that side is, beside the ring; NULL as well */
  float *tap;          /**< gets the peer's sound before gain; NULL: nobody wants it */
  uint32_t *searches;  /**< left in this period, see rt_conceal_extend */
  uint32_t period_frames, sample_rate;
  bool places_changed; /**< a slot's place has changed since the period before */
  uint32_t missed_frames; /**< of periods that passed unplayed before this one */
};

/** What each side is to get of the peer, by its pan. [rt] */
struct rt_sides rt_peer_pan(const struct rt_peer *peer) RT_NONBLOCKING;
/** Makes a slot just claimed from ATTACHED begin: silent, at its gain and pan, about to fade in. [rt] */
void rt_peer_begin(struct rt_voice *voice) RT_NONBLOCKING;
/** Takes a period of a SOUNDING or LEAVING slot to mix->scratch, and mix->side: its sound before gain. Returns whether
 *  it may still be heard; false ends LEAVING. [rt] */
bool rt_peer_play(struct rt_voice *voice, const struct rt_mix *mix, bool is_leaving) RT_NONBLOCKING;
/** Adds that to the main bus, dimmed, and leaves it in mix->scratch after gain; peer_out, if not NULL, gets the same.
 *  [rt] */
void rt_peer_add(struct rt_voice *voice, const struct rt_mix *mix, float *peer_out) RT_NONBLOCKING;

#endif
