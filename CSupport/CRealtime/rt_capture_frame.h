/** The way into the capture ring. A period's frames are written in two parts: what has to be taken before anything is
 *  mixed, as a port of ours connected to one of our own inputs may share its memory, and what is there afterwards. */
#ifndef RT_CAPTURE_FRAME_H
#define RT_CAPTURE_FRAME_H

#include "rt_nonblocking.h"

#include <stdint.h>

struct rt_desk;
struct rt_mix;

/** Places in the ring for a period, and before it for what was missed. */
struct rt_capture_span {
  uint32_t start;  /**< index of the first sample */
  uint32_t missed; /**< frames that were never seen: a straight line stands for them in every channel */
  uint32_t room;   /**< frames that there is a place for, missed ones included; what has none is dropped and counted */
};

/** Begins a period's frames: the microphone, which is kept in desk->microphone, and the inputs, of which those that are
 *  NULL are silent. missed_frames were never seen, here or a period before. [rt] */
void rt_capture_begin(struct rt_desk *desk, const float *mic, const float *const *inputs, const struct rt_mix *mix)
    RT_NONBLOCKING;
/** Ends a period's frames, and hands them over: with what is inserted in the microphone's place, NULL for nothing, and
 *  with what the main bus plays. [rt] */
void rt_capture_end(struct rt_desk *desk, const float *insert, const float *left, const float *right,
                    uint32_t period_frames) RT_NONBLOCKING;
/** So many frames passed before the period that comes, for which nothing is written: whoever reads the ring moves
 *  its time on by as many. [rt] */
void rt_capture_leave(struct rt_desk *desk, uint32_t frame_count) RT_NONBLOCKING;

#endif
