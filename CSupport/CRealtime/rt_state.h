/** The engine's memory: one allocation, made of parts with one writer each, on cache lines of their own. */
#ifndef RT_STATE_H
#define RT_STATE_H

#include "CRealtime.h"
#include "rt_cycle.h"
#include "rt_level.h"
#include "rt_limiter.h"
#include "rt_peer.h"
#include "rt_ring_layout.h"

#include <jack/types.h>
#include <pthread.h>

struct rt_engine {
  /* From control and loop to the callback. Ports are published here when registered and withdrawn before they go. */
  _Alignas(RT_CACHE_LINE_BYTES) _Atomic bool talk;
  _Atomic uint32_t wake_threshold_frames;
  _Atomic uint32_t wanted_source; /**< see rt_source.h */
  _Atomic uint32_t sample_rate;
  _Atomic uint64_t active_slots; /**< see rt_peer.h */
  _Atomic(jack_client_t *) rt_client;
  _Atomic(jack_port_t *) mic_port, mix_left_port, mix_right_port;
  _Atomic(jack_port_t *) peer_ports[RT_MAX_PEERS];
  int wake_fd;   /**< never written after create; < 0: nobody to wake */
  int notice_fd; /**< never written after create; an eventfd, see rt_notice_fd */

  /* From the callback to the others. */
  _Alignas(RT_CACHE_LINE_BYTES) struct rt_cycle_lock cycle;
  _Atomic uint64_t callbacks;
  _Atomic bool is_in_callback; /**< see rt_process.h */
  _Atomic uint64_t capture_overruns, refused_periods, missed_periods;
  _Atomic uint64_t callback_total_nanoseconds, callback_max_nanoseconds;
  _Atomic uint32_t present_source; /**< see rt_source.h */
  _Atomic uint64_t signal_lost;
  struct rt_level mic_level, mix_level;

  /* From JACK's other threads, and what several write. */
  _Alignas(RT_CACHE_LINE_BYTES) _Atomic int64_t wake_nanoseconds;
  _Atomic uint64_t wakes, xruns, period_changes, rate_changes;
  _Atomic uint32_t state; /**< enum rt_state */
  _Atomic uint32_t period_frames;
  _Atomic uint32_t graph_changes;

  /* The callback's own. */
  _Alignas(RT_CACHE_LINE_BYTES) struct rt_limiter limiter;
  float gate; /**< position, see rt_fade.h */
  float last_mic_frame;       /**< the last frame captured, after the gate */
  struct rt_cycle last_cycle; /**< the period before; period_frames 0: there was none */
  int32_t suspected_frames;   /**< that the last callback found missing, for the next to confirm; below 0: too many were */

  /* Control's own, under its lock. JACK's threads never take it: control holds it while it waits for them. */
  _Alignas(RT_CACHE_LINE_BYTES) pthread_mutex_t control;
  jack_client_t *client;
  char peer_names[RT_MAX_PEERS][RT_NAME_BYTES]; /**< empty: no port */
  bool is_locked;

  struct rt_ring capture, signal, record;
  struct rt_peer peers[RT_MAX_PEERS];
  float scratch[RT_MAX_PERIOD_FRAMES];
  float tap[RT_MAX_PERIOD_FRAMES]; /**< see rt_source.h */
  float signal_frames[RT_SIGNAL_RING_FRAMES], record_frames[RT_SIGNAL_RING_FRAMES];
  float capture_frames[RT_CAPTURE_RING_FRAMES];
  float peer_frames[RT_MAX_PEERS][RT_PEER_RING_FRAMES];
};

static inline bool rt_slot_exists(rt_slot slot) {
  return slot >= 0 && slot < RT_MAX_PEERS;
}

#endif
