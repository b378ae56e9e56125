/**
 * What a bus is made of.
 *
 * States, in rt_bus_shared.state, beside its form (channels, ring):
 *   CLOSED ──open [loop]──▶ OPENED ──first period [rt]──▶ RUNNING ──close [loop]──▶ LEAVING ──faded out [rt]──▶ CLOSED
 *   OPENED ──close [loop]──▶ CLOSED (never ran)
 *   when JACK is closed [control]: RUNNING ──▶ OPENED, LEAVING ──▶ CLOSED
 * rt_shared.open_buses has a bit set for every bus that is not CLOSED (and for a moment for some that are): where the
 * callback must look. The callback writes the ring in RUNNING and LEAVING. The loop reads it at any time;
 * its form changes in CLOSED only.
 */
#ifndef RT_BUS_LAYOUT_H
#define RT_BUS_LAYOUT_H

#include "rt_bus.h"
#include "rt_crosspoint.h"
#include "rt_level.h"
#include "rt_limiter.h"
#include "rt_peer.h"
#include "rt_ring_layout.h"

/** All but the main one, which comes first. */
enum { RT_OPENED_BUSES = RT_MAX_BUSES - 1 };

/** State and form in one word. */
enum rt_bus_word {
  RT_BUS_CLOSED = 0,
  RT_BUS_OPENED = 1,
  RT_BUS_RUNNING = 2,
  RT_BUS_LEAVING = 3,
  RT_BUS_STATES = 3,
  RT_BUS_STEREO = 4,
  RT_BUS_RING = 8,
};

/** What the loop and the callback share of a bus. Of the main one only the level is used. */
struct rt_bus_shared {
  struct rt_ring_indices ring;
  _Alignas(RT_CACHE_LINE_BYTES) _Atomic uint32_t state; /**< enum rt_bus_word */
  _Atomic float gains[RT_MAX_PEERS];
  _Alignas(RT_CACHE_LINE_BYTES) struct rt_level level;
  _Atomic uint64_t lost_frames;
};

/** A bus that is opened, in this process: the way to what is shared, and the callback's own. */
struct rt_bus_desk {
  struct rt_bus_shared *shared;
  struct rt_ring ring;
  struct rt_limiter limiter;
  bool is_stereo, has_ring;
  float fade; /**< position, see rt_fade.h */
  struct rt_crosspoint crosspoints[RT_MAX_PEERS];
  float left[RT_MAX_PERIOD_FRAMES], right[RT_MAX_PERIOD_FRAMES]; /**< a mono bus' sound is left */
};

struct rt_desk;

/** Begins a period: takes over what the loop opened, and empties what runs. [rt] */
void rt_buses_begin(struct rt_desk *desk, uint32_t period_frames) RT_NONBLOCKING;
/** A slot begins to sound: at its gains, without a ramp. [rt] */
void rt_buses_join(struct rt_desk *desk, uint32_t slot) RT_NONBLOCKING;
/** Adds a period of a slot's sound, before gain and pan, to every bus that runs. [rt] */
void rt_buses_add(struct rt_desk *desk, uint32_t slot, const struct rt_mix *mix) RT_NONBLOCKING;
/** Ends a period: limiter, meter, port and ring of every bus. buses_out has RT_MAX_BUSES places, which may hold NULLs,
 *  or is NULL; ports of buses that do not run get silence. [rt] */
void rt_buses_end(struct rt_desk *desk, const struct rt_mix *mix, float *const *buses_out) RT_NONBLOCKING;
/** Cleans, limits and meters a period of a bus; right is NULL of a mono one. [rt] */
void rt_bus_master(struct rt_limiter *limiter, struct rt_level *level, float *left, float *right,
                   const struct rt_mix *mix) RT_NONBLOCKING;

#endif
