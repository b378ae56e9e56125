/**
 * The ear: what the main bus does to the sound of slots before the user hears it.
 *
 * Each slot has a rank: the programme's, or that of a priority. A slot sounds while it is heard at all and has peaks of
 * -40 dBFS and more, and 0.3 s beyond. The highest rank that sounds says by which factor each other rank is dimmed; so
 * does the user's own open microphone. Of two dims the deeper holds: they do not add up. All dims fall in 20 ms and
 * rise in 500 ms; volume and ceiling move in 20 ms; see rt_glide.h. Slots' own ports and other buses know none of it.
 */
#ifndef RT_EAR_H
#define RT_EAR_H

#include "rt_nonblocking.h"

#include <stdbool.h>
#include <stdint.h>

struct rt_engine;

/** 0 is the programme's, which dims nothing; 1 and more are those of priorities 0 and more. */
enum { RT_RANK_PROGRAMME = 0, RT_FIRST_RANK = 2, RT_RANKS = 6 };
/** The most that the volume amplifies by. */
enum { RT_MAX_VOLUME = 4 };

/** The rank of a slot, at first RT_FIRST_RANK; others than 0 ... RT_RANKS - 1 are ignored. [control] [loop] */
void rt_peer_set_rank(struct rt_engine *engine, int32_t slot, uint32_t rank);
/** The factor of slots of a rank while the highest that sounds is another: 0 ... 1, at first 1. [control] [loop] */
void rt_ear_set_dim(struct rt_engine *engine, uint32_t rank, uint32_t sounding, float gain);
/** The factor of slots of a rank while the user talks: 0 ... 1, at first 1. [control] [loop] */
void rt_ear_set_talk_dim(struct rt_engine *engine, uint32_t rank, float gain);
/** Whether the user talks; at first not. [control] [loop] */
void rt_ear_set_talking(struct rt_engine *engine, bool is_talking);
/** How loud all slots are together: linear, 0 ... RT_MAX_VOLUME, at first 1. [control] [loop] */
void rt_ear_set_volume(struct rt_engine *engine, float gain);
/** Whether the sidetone follows the volume; at first not. [control] [loop] */
void rt_ear_set_tracking(struct rt_engine *engine, bool is_tracking);
/** What the main bus never exceeds, as a factor of what its limiter lets through: 1/64 ... 1, at first 1.
 *  [control] [loop] */
void rt_ear_set_ceiling(struct rt_engine *engine, float ceiling);

#endif
