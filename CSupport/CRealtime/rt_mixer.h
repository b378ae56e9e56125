/** The mix of all sounding peers: the main bus with its limiter and meter, sidetone, and the other buses. */
#ifndef RT_MIXER_H
#define RT_MIXER_H

#include "rt_nonblocking.h"

struct rt_desk;
struct rt_mix;

/** Fills a period of the mix and of every output that is not NULL: the peers', then the buses'. The period's microphone
 *  is in desk->microphone already. [rt] */
void rt_mixer_run(struct rt_desk *desk, const struct rt_mix *mix, float *const *outputs) RT_NONBLOCKING;

#endif
