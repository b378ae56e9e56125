/**
 * What the callback and the event loop share: no pointers, constant sizes, so that two processes can map it.
 *
 * Parts with one writer each, on cache lines of their own. In jackd the other side is another process: the callback
 * takes no value from here on trust (indices are masked, gains bounded, frames cleaned),
 * and keeps its own state in rt_desk.
 */
#ifndef RT_SHARED_H
#define RT_SHARED_H

#include "CRealtime.h"
#include "rt_bus_layout.h"
#include "rt_cycle.h"
#include "rt_ear_layout.h"
#include "rt_level.h"
#include "rt_peer.h"
#include "rt_ring_layout.h"

struct rt_shared {
  /* From control and loop to the callback. */
  _Alignas(RT_CACHE_LINE_BYTES) _Atomic uint32_t input_count; /**< never written once it is shared */
  _Atomic uint32_t wake_threshold_frames;
  _Atomic uint64_t active_slots;   /**< see rt_peer.h */
  _Atomic uint32_t wanted_source;  /**< see rt_source.h */
  _Atomic float sidetone;          /**< see rt_set_sidetone */
  _Atomic uint32_t open_buses;     /**< a bit a bus; see rt_bus_layout.h */
  _Atomic uint32_t place_changes;  /**< of all slots' places so far */
  struct rt_ear_shared ear;

  /* From the callback to the others. */
  _Alignas(RT_CACHE_LINE_BYTES) struct rt_cycle_lock cycle;
  _Atomic uint64_t callbacks;
  _Atomic uint64_t capture_overruns, refused_periods, missed_periods;
  _Atomic uint64_t callback_total_nanoseconds, callback_max_nanoseconds;
  _Atomic uint64_t xruns, period_changes, rate_changes;
  _Atomic uint32_t is_freewheeling; /**< 0 or not: the callback plays silence and captures nothing */
  _Atomic uint32_t present_source; /**< see rt_source.h */
  _Atomic uint64_t signal_lost;
  /** The capture ring's write index at the last hole << 32 | frames of all holes so far. */
  _Atomic uint64_t capture_hole;
  struct rt_level mic_level;

  /* What several write. */
  _Alignas(RT_CACHE_LINE_BYTES) _Atomic int64_t wake_nanoseconds;
  _Atomic uint64_t wakes;

  _Alignas(RT_CACHE_LINE_BYTES) struct rt_ring_indices capture, signal, record;
  struct rt_peer peers[RT_MAX_PEERS];
  struct rt_place_shared places[RT_MAX_PEERS];
  struct rt_bus_shared buses[RT_MAX_BUSES];
  float signal_frames[RT_SIGNAL_RING_FRAMES], record_frames[RT_SIGNAL_RING_FRAMES];
  float capture_samples[RT_CAPTURE_RING_SAMPLES];
  float peer_frames[RT_MAX_PEERS][RT_PEER_RING_FRAMES];
  float bus_samples[RT_OPENED_BUSES][RT_BUS_RING_SAMPLES];
  float side_frames[RT_MAX_STEREO_PEERS][RT_PEER_RING_FRAMES]; /**< see rt_peer.side */
};

/** Fills memory that is all zeros: empty rings, gain 1, pan in the middle. [control] */
void rt_shared_init(struct rt_shared *shared);

#endif
