/** The engine: a desk, and the JACK client that runs it. */
#ifndef RT_STATE_H
#define RT_STATE_H

#include "rt_desk.h"

#include <jack/types.h>
#include <pthread.h>

struct rt_engine {
  /* From control to the callback. What is published here is withdrawn before it goes; see rt_process.h. */
  _Alignas(RT_CACHE_LINE_BYTES) _Atomic(struct rt_desk *) published_desk; /**< NULL: play silence */
  _Atomic uint32_t sample_rate;
  _Atomic(jack_client_t *) rt_client;
  _Atomic(jack_port_t *) mic_port, mix_left_port, mix_right_port;
  _Atomic(jack_port_t *) peer_ports[RT_MAX_PEERS];

  /* From the callback to control. */
  _Alignas(RT_CACHE_LINE_BYTES) _Atomic bool is_in_callback; /**< see rt_process.h */
  _Atomic uint32_t callbacks_ended;

  /* From JACK's other threads. */
  _Alignas(RT_CACHE_LINE_BYTES) _Atomic uint64_t xruns;
  _Atomic uint64_t period_changes, rate_changes;
  _Atomic uint32_t state; /**< enum rt_state */
  _Atomic uint32_t period_frames;
  _Atomic uint32_t graph_changes;
  int notice_fd; /**< never written after create; an eventfd, see rt_notice_fd */

  /* Control's own, under its lock. JACK's threads never take it: control holds it while it waits for them. */
  _Alignas(RT_CACHE_LINE_BYTES) pthread_mutex_t control;
  jack_client_t *client;
  char peer_names[RT_MAX_PEERS][RT_NAME_BYTES]; /**< empty: no port */
  bool is_locked;

  /* The callback's while it is published; the loop reads the pointers in it, which do not change. */
  _Alignas(RT_CACHE_LINE_BYTES) struct rt_desk desk;
};

/** What JACK reported so far. [rt] [control] */
static inline struct rt_reports rt_reports_now(const struct rt_engine *engine) RT_NONBLOCKING {
  return (struct rt_reports){
      .xruns = atomic_load_explicit(&engine->xruns, memory_order_relaxed),
      .period_changes = atomic_load_explicit(&engine->period_changes, memory_order_relaxed),
      .rate_changes = atomic_load_explicit(&engine->rate_changes, memory_order_relaxed),
  };
}

static inline bool rt_slot_exists(rt_slot slot) {
  return slot >= 0 && slot < RT_MAX_PEERS;
}

#endif
