/** The microphone's way: gate, meter, capture ring. */
#ifndef RT_MICROPHONE_H
#define RT_MICROPHONE_H

#include "rt_nonblocking.h"

#include <stdint.h>

struct rt_desk;

/** Takes a period of the microphone in, or of what stands in its place; what the capture ring has no place for is
 *  dropped and counted. missed_frames were never seen, here or a period before: a straight line stands for them,
 *  so that what follows keeps its time. [rt] */
void rt_microphone_run(struct rt_desk *desk, const float *mic, uint32_t period_frames, uint32_t sample_rate,
                       uint32_t missed_frames) RT_NONBLOCKING;

/** So many frames passed before the period that comes, for which nothing is written: whoever reads the ring moves
 *  its time on by as many. [rt] */
void rt_microphone_leave(struct rt_desk *desk, uint32_t frame_count) RT_NONBLOCKING;

#endif
