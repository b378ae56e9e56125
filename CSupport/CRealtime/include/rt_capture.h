/**
 * Capture: what is heard in each period, as frames of several channels in one ring with one pair of indices, so that
 * overruns, missed periods and holes hit all channels alike.
 *
 *   0                      the microphone, before any gate
 *   1                      what is inserted in its place, for tests of a station (rt_set_source); silent as a rule
 *   2 ... 1 + inputs       further inputs, in the order in which they were added
 *   the last two           left and right of what the main bus plays but for the sidetone, after the limiter; before it
 *                          where there is a sidetone
 */
#ifndef RT_CAPTURE_H
#define RT_CAPTURE_H

#include "rt_nonblocking.h"

#include <stdint.h>

struct rt_engine;

enum { RT_CAPTURE_MICROPHONE = 0, RT_CAPTURE_INSERT = 1, RT_CAPTURE_INPUTS = 2 };
/** A stereo programme and four lines of four wires. */
enum { RT_MAX_INPUTS = 6, RT_MAX_CAPTURE_CHANNELS = RT_CAPTURE_INPUTS + RT_MAX_INPUTS + 2 };
/** What the ring holds: 32768 frames without further inputs, 13107 with all of them. */
enum { RT_CAPTURE_RING_SAMPLES = 131072 };

/** Adds an input with a port of this name, shorter than RT_NAME_BYTES; only before the engine is opened or read for the
 *  first time. Its number from 0 on, or -EINVAL, -EEXIST, -ENAMETOOLONG, -ENOSPC. [control] */
int rt_input_add(struct rt_engine *engine, const char *port_name);
/** Channels of a frame. [control] [loop] */
uint32_t rt_capture_channels(const struct rt_engine *engine);
/** Frames waiting in the ring. [loop] */
uint32_t rt_capture_available(const struct rt_engine *engine);
/** Takes up to frames, interleaved; returns how many. [loop] */
uint32_t rt_capture_read(struct rt_engine *engine, float *samples_out, uint32_t frames);
/** Drops up to frames; returns how many. [loop] */
uint32_t rt_capture_skip(struct rt_engine *engine, uint32_t frames);
/** Frames that passed unheard (the server stood still, or a client before the microphone) before or among those
 *  that were read last; 0 as a rule, and once taken. [loop] */
uint32_t rt_capture_take_hole(struct rt_engine *engine);

#endif
