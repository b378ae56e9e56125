/** The mix of all sounding peers, and its limiter and meter. */
#ifndef RT_MIXER_H
#define RT_MIXER_H

#include "rt_nonblocking.h"

struct rt_desk;
struct rt_mix;

/** Fills a period of the mix and of every peer output that is not NULL. [rt] */
void rt_mixer_run(struct rt_desk *desk, const struct rt_mix *mix, float *const *peers_out) RT_NONBLOCKING;

#endif
