/**
 * The engine: a desk, and the JACK client that runs it. Where that client is the plugin's, in jackd, there are two
 * engines: the plugin's has the client and, while a comlinkd is there, a desk;
 * comlinkd's has the same desk and the link.
 */
#ifndef RT_STATE_H
#define RT_STATE_H

#include "rt_desk.h"
#include "rt_link.h"
#include "rt_midi_layout.h"

#include <jack/types.h>
#include <pthread.h>

struct rt_engine {
  /* From control to the callback. What is published here is withdrawn before it goes; see rt_process.h. */
  _Alignas(RT_CACHE_LINE_BYTES) _Atomic(struct rt_desk *) published_desk; /**< NULL: play silence */
  _Atomic uint32_t sample_rate;
  _Atomic(jack_client_t *) rt_client;
  _Atomic(jack_port_t *) mic_port, mix_left_port, mix_right_port;
  _Atomic(jack_port_t *) input_ports[RT_MAX_INPUTS];
  _Atomic(jack_port_t *) output_ports[RT_MAX_OUTPUTS]; /**< the slots', then the buses' */
  _Atomic uint32_t spare_count;                     /**< of the next that may be there; see rt_spares.h */
  _Atomic(jack_port_t *) spare_ports[RT_MAX_OUTPUTS]; /**< nobody's: play silence */

  struct rt_midi midi;

  /* From the callback to control. */
  _Alignas(RT_CACHE_LINE_BYTES) _Atomic bool is_in_callback; /**< see rt_process.h */
  _Atomic uint32_t callbacks_ended;
  _Atomic uint64_t xruns;

  /* From JACK's other threads. */
  _Alignas(RT_CACHE_LINE_BYTES) _Atomic uint64_t period_changes, rate_changes;
  _Atomic uint32_t state; /**< enum rt_state */
  _Atomic uint32_t period_frames;
  _Atomic uint32_t graph_changes;
  _Atomic bool is_freewheeling;
  int notice_fd; /**< never written after create; an eventfd, see rt_notice_fd */

  /* Control's own, under its lock. JACK's threads never take it: control holds it while it waits for them. */
  _Alignas(RT_CACHE_LINE_BYTES) pthread_mutex_t control;
  jack_client_t *client;
  char input_names[RT_MAX_INPUTS][RT_NAME_BYTES];
  char output_names[RT_MAX_OUTPUTS][RT_NAME_BYTES]; /**< empty: no port */
  char spare_names[RT_MAX_OUTPUTS][RT_NAME_BYTES];
  uint32_t next_spare;
  bool is_locked;

  /* Of an engine in jackd. */
  struct rt_plugin *plugin; /**< never written after create; NULL in comlinkd */

  /* Of an engine that may be another process' to play: control's own. */
  int memory_fd; /**< of rt_shared; < 0: ordinary memory */
  int watch_fd;  /**< never written after create; an epoll of notice_fd and link_fd */
  int link_fd;   /**< to the plugin; < 0: none */
  uint32_t link_serial;
  int link_priority;
  bool is_resumed;
  struct rt_link_answer *answer; /**< room for one */

  /* The loop's own. */
  _Alignas(RT_CACHE_LINE_BYTES) uint32_t hole_frames; /**< of capture_hole, as far as taken */

  /* The callback's own. */
  _Alignas(RT_CACHE_LINE_BYTES) float xrun_delay_microseconds; /**< of the server's last xrun, as far as counted */
  bool judges_cycles; /**< as the server does not tell what came too late; set before the callback begins */
  bool was_late;      /**< the last cycle; at first, as a server's beginning is no xrun */

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

/** Whether it is a bus that is opened and closed. */
static inline bool rt_bus_opens(rt_bus bus) {
  return bus > RT_MAIN_BUS && bus < RT_MAX_BUSES;
}

static inline bool rt_slot_exists(rt_slot slot) {
  return slot >= 0 && slot < RT_MAX_PEERS;
}

#endif
