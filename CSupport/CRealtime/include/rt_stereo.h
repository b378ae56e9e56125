/** Slots that play two channels: a mean, which is all that there is of others, and a side beside it. */
#ifndef RT_STEREO_H
#define RT_STEREO_H

#include <stdint.h>

struct rt_engine;

/** Slots that can play two channels at once; any of them may. */
enum { RT_MAX_STEREO_PEERS = 8 };

/** Gives the slot a second channel until it is attached anew: the side, half of what the left has more than the right,
 *  whose mean is what rt_peer_write writes; silent as yet. On stereo buses left is mean + side and right mean - side,
 *  mono ones and the slot's port have the mean. 0, also if it has one; -EBUSY: RT_MAX_STEREO_PEERS have; -EINVAL.
 *  [loop] */
int rt_peer_add_side(struct rt_engine *engine, int32_t slot);
/** As rt_peer_write, of a slot that has a side; of another the side is dropped. [loop] */
uint32_t rt_peer_write_stereo(struct rt_engine *engine, int32_t slot, const float *mean_in,
                              const float *side_in, uint32_t frames);

#endif
