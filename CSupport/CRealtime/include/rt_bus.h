/**
 * Buses: mixes of the slots, made in the process callback. Each has a limiter and a meter.
 *
 * The main bus is stereo, always there, and plays at mix_left and mix_right; a slot's gain on it is the peer's gain,
 * and its pan the peer's. The others are opened when somebody wants them, mono or stereo: a patched line with a port of
 * its own, the mix-minus of a guest, a recording. What a slot gives to one is its crosspoint, 0 at first: all that it
 * does not give is mix-minus. A closed bus costs nothing.
 */
#ifndef RT_BUS_H
#define RT_BUS_H

#include "rt_nonblocking.h"

#include <stdbool.h>
#include <stdint.h>

struct rt_engine;

/** 0 ... RT_MAX_BUSES - 1; RT_MAIN_BUS is the main one. */
typedef int32_t rt_bus;
enum { RT_MAIN_BUS = 0, RT_MAX_BUSES = 24 };
/** Samples that a bus' ring holds: as many frames of a mono bus, half as many of a stereo one. */
enum { RT_BUS_RING_SAMPLES = 32768 };

/** Opens a bus with one channel or two, and a ring to the loop if wanted, which begins empty; its crosspoints keep what
 *  was set. It runs from the next period on. 0, -EINVAL (no such bus, or the main one), or -EBUSY while it is open or
 *  still fading out. [loop] */
int rt_bus_open(struct rt_engine *engine, rt_bus bus, uint32_t channels, bool has_ring);
/** Fades a bus out in 5 ms and closes it. [loop] */
void rt_bus_close(struct rt_engine *engine, rt_bus bus);
/** The gain of a slot on a bus, before whatever the peer has on the main one: linear, 0 ... RT_MAX_GAIN, ramped. On a
 *  stereo bus the peer's pan holds as well. Of the main bus the same as rt_peer_set_gain. [control] [loop] */
void rt_bus_set_gain(struct rt_engine *engine, rt_bus bus, int32_t slot, float gain);

/** Frames waiting in a bus' ring. [loop] */
uint32_t rt_bus_available(const struct rt_engine *engine, rt_bus bus);
/** Takes up to frames, interleaved, after the limiter: one for each frame of JACK since it was opened, silent ones for
 *  periods that were missed, none for holes (rt_capture_take_hole). Returns how many; 0 once it is closed. [loop], or
 *  one other thread that begins after rt_bus_open and ends before rt_bus_close. */
uint32_t rt_bus_read(struct rt_engine *engine, rt_bus bus, float *frames_out, uint32_t frames);
/** Frames that its ring had no room for, since the engine was made. [control] [loop] */
uint64_t rt_bus_lost_frames(const struct rt_engine *engine, rt_bus bus);

/** (Re)names the port of a bus that is not the main one, as rt_peer_set_port does; a mono bus plays there, a stereo one
 *  and a closed one leave it silent. [control] */
int rt_bus_set_port(struct rt_engine *engine, rt_bus bus, const char *port_name);
/** Unregisters a bus' port, after the callback has left it. [control] */
void rt_bus_clear_port(struct rt_engine *engine, rt_bus bus);

/** How loud the microphone is on the main bus: linear, 0 (as at first) ... 1, ramped; at 1 as loud as a peer in the
 *  middle at gain 1. It is heard in the period in which it was captured, whatever the talk key. [control] [loop] */
void rt_set_sidetone(struct rt_engine *engine, float gain);

#endif
