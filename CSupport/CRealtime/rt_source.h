/**
 * What is inserted in the microphone's place.
 *
 * As a rule nothing. For tests of a station what a peer sent, straight back (a loop-back), or a signal, beside which is
 * recorded what a peer sends: both advance frame by frame in the same periods, so that a place in the record is a time
 * since that place in the signal.
 *
 * It comes and goes in 5 ms, and a change waits until what was there before is gone. What the loop asks for and what
 * the callback does are a word each: the source, and the slot.
 */
#ifndef RT_SOURCE_H
#define RT_SOURCE_H

#include "CRealtime.h"

#include <stdbool.h>
#include <stdint.h>

struct rt_desk;
struct rt_mix;

/** A source and its slot in a word. */
static inline uint32_t rt_source_word(enum rt_source source, rt_slot slot) {
  return (uint32_t)source << 8 | (uint32_t)slot;
}

static inline enum rt_source rt_source_of(uint32_t word) {
  return (enum rt_source)(word >> 8);
}

/** Takes the loop's wish over where nothing is inserted. [rt] */
void rt_source_begin(struct rt_desk *desk) RT_NONBLOCKING;
/** Whether the slot's sound is wanted in desk->tap. [rt] */
bool rt_source_taps(const struct rt_desk *desk, rt_slot slot) RT_NONBLOCKING;
/** What is inserted in a period, after the mix; NULL: nothing. [rt] */
const float *rt_source_run(struct rt_desk *desk, const struct rt_mix *mix) RT_NONBLOCKING;

#endif
