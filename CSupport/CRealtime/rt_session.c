/* Control: becoming a JACK client and ceasing to be one, and what JACK reports on its own threads. */
#include "rt_session.h"

#include "rt_audio_thread.h"
#include "rt_clock.h"
#include "rt_ports.h"
#include "rt_process.h"
#include "rt_remote.h"
#include "rt_state.h"
#include "rt_wake.h"

#include <errno.h>
#include <jack/jack.h>
#include <jack/statistics.h>
#include <jack/thread.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

enum { REHEARSAL_STACK_BYTES = 64 * 1024 };

/* --- on JACK's notification thread: atomics only, see rt_engine.control --- */

void rt_give_notice(const struct rt_engine *engine) {
  const uint64_t one = 1;
  /* A full counter is a notice, too. */
  const ssize_t written = write(engine->notice_fd, &one, sizeof one);
  (void)written;
}

/** In jackd the loop is another process, which may be gone in this moment; its own engine wakes it. */
static void wake_loop(struct rt_engine *engine) {
  if (engine->plugin == NULL) rt_wake(&engine->desk);
}

/** Keeps a figure JACK reports, counts when it is not the one known, and lets the loop know. */
static int note_change(struct rt_engine *engine, _Atomic uint32_t *known, _Atomic uint64_t *changes, uint32_t now) {
  const uint32_t before = atomic_exchange_explicit(known, now, memory_order_relaxed);
  if (before == now || before == 0) return 0;
  atomic_fetch_add_explicit(changes, 1, memory_order_relaxed);
  wake_loop(engine);
  rt_give_notice(engine);
  return 0;
}

static int on_period_change(jack_nframes_t period_frames, void *argument) {
  struct rt_engine *engine = argument;
  return note_change(engine, &engine->period_frames, &engine->period_changes, period_frames);
}

static int on_rate_change(jack_nframes_t sample_rate, void *argument) {
  struct rt_engine *engine = argument;
  return note_change(engine, &engine->sample_rate, &engine->rate_changes, sample_rate);
}

static void on_registration(jack_port_id_t port, int is_registered, void *argument) {
  (void)port, (void)is_registered;
  struct rt_engine *engine = argument;
  atomic_fetch_add_explicit(&engine->graph_changes, 1, memory_order_relaxed);
  rt_give_notice(engine);
}

/** Counts a device that is cut off our keys, be it back before anybody looks: what it held is held by nobody. */
static void note_unplugged(struct rt_engine *engine, jack_port_id_t destination) {
  const jack_port_t *keys = atomic_load_explicit(&engine->midi.in_port, memory_order_relaxed);
  if (keys == NULL || jack_port_by_id(engine->client, destination) != keys) return;
  atomic_fetch_add_explicit(&engine->midi.unplugged, 1, memory_order_relaxed);
}

static void on_connection(jack_port_id_t source, jack_port_id_t destination, int is_connected, void *argument) {
  (void)source;
  struct rt_engine *engine = argument;
  if (is_connected == 0) note_unplugged(engine, destination);
  atomic_fetch_add_explicit(&engine->graph_changes, 1, memory_order_relaxed);
  rt_give_notice(engine);
}

static void on_freewheel(int is_starting, void *argument) {
  struct rt_engine *engine = argument;
  atomic_store_explicit(&engine->is_freewheeling, is_starting != 0, memory_order_relaxed);
  wake_loop(engine);
  rt_give_notice(engine);
}

static void on_shutdown(void *argument) {
  struct rt_engine *engine = argument;
  uint32_t running = RT_RUNNING;
  /* Only if running: a server that ends while we close is nothing to report. */
  if (!atomic_compare_exchange_strong_explicit(&engine->state, &running, RT_SERVER_GONE, memory_order_release,
                                               memory_order_relaxed)) {
    return;
  }
  wake_loop(engine);
  rt_give_notice(engine);
}

static void on_info_shutdown(jack_status_t code, const char *reason, void *argument) {
  (void)code, (void)reason;
  on_shutdown(argument);
}

/* --- under rt_engine.control --- */

bool rt_session_takes_rate(uint32_t sample_rate) {
  return sample_rate >= RT_MIN_SAMPLE_RATE && sample_rate <= RT_MAX_SAMPLE_RATE;
}

/** The client, or NULL with *error set to a negative errno. */
static jack_client_t *open_client(const char *server_name, const char *client_name, int *error) {
  jack_status_t status = 0;
  const jack_options_t options = server_name != NULL ? JackNoStartServer | JackServerName : JackNoStartServer;
  jack_client_t *client = jack_client_open(client_name, options, &status, server_name);
  if (client == NULL) {
    *error = (status & JackServerFailed) != 0 ? -ENOENT : -EPROTO;
    return NULL;
  }
  /* Not JackUseExactName: jackd2 reports a name it refuses for that as a general failure. */
  if ((status & JackNameNotUnique) != 0) {
    jack_client_close(client);
    *error = -EEXIST;
    return NULL;
  }
  return client;
}

/** Of an internal client JACK tells the end by the callback's argument only; see rt_plugin_unload. */
static int set_process(struct rt_engine *engine) {
  if (engine->plugin != NULL) return jack_set_process_callback(engine->client, rt_on_process, engine);
  return jack_set_process_thread(engine->client, rt_audio_thread_run, engine);
}

static int set_callbacks(struct rt_engine *engine) {
  jack_client_t *client = engine->client;
  /* Both: libjack of PipeWire 0.3.65 only ever calls the first, jackd and newer PipeWire the second where it is set. */
  jack_on_shutdown(client, on_shutdown, engine);
  jack_on_info_shutdown(client, on_info_shutdown, engine);
  const int refusals = (set_process(engine) != 0) +
                       (jack_set_buffer_size_callback(client, on_period_change, engine) != 0) +
                       (jack_set_sample_rate_callback(client, on_rate_change, engine) != 0) +
                       (jack_set_freewheel_callback(client, on_freewheel, engine) != 0) +
                       (jack_set_port_registration_callback(client, on_registration, engine) != 0) +
                       (jack_set_port_connect_callback(client, on_connection, engine) != 0);
  return refusals == 0 ? 0 : -EPROTO;
}

void rt_session_undo(struct rt_engine *engine) {
  jack_client_t *client = engine->client;
  /* Ends the audio thread; JACK takes no change of an active client's callbacks. */
  jack_deactivate(client);
  jack_on_shutdown(client, NULL, NULL);
  jack_on_info_shutdown(client, NULL, NULL);
  jack_set_process_callback(client, NULL, NULL);
  jack_set_buffer_size_callback(client, NULL, NULL);
  jack_set_sample_rate_callback(client, NULL, NULL);
  jack_set_freewheel_callback(client, NULL, NULL);
  jack_set_port_registration_callback(client, NULL, NULL);
  jack_set_port_connect_callback(client, NULL, NULL);
}

/** A bus that ran begins anew in the next session; one that was fading out is closed. */
static void settle_bus(struct rt_engine *engine, uint32_t place) {
  struct rt_bus_shared *bus = engine->desk.buses[place].shared;
  uint32_t word = atomic_load_explicit(&bus->state, memory_order_acquire);
  const uint32_t opened = (word & ~(uint32_t)RT_BUS_STATES) | RT_BUS_OPENED;
  rt_level_rest(&bus->level);
  if ((word & RT_BUS_STATES) == RT_BUS_RUNNING) {
    /* It fails when the loop closed the bus in this moment. */
    const bool is_settled = atomic_compare_exchange_strong_explicit(&bus->state, &word, opened, memory_order_acq_rel,
                                                                    memory_order_acquire);
    if (is_settled) return;
  }
  if ((word & RT_BUS_STATES) != RT_BUS_LEAVING) return;
  const uint32_t bit = 1u << (RT_MAIN_BUS + 1 + place);
  atomic_fetch_and_explicit(&engine->desk.shared->open_buses, ~bit, memory_order_relaxed);
  atomic_store_explicit(&bus->state, RT_BUS_CLOSED, memory_order_release);
}

void rt_session_settle(struct rt_engine *engine) {
  for (uint32_t slot = 0; slot < RT_MAX_PEERS; slot++) {
    struct rt_peer *peer = &engine->desk.shared->peers[slot];
    uint32_t state = RT_PEER_SOUNDING;
    atomic_compare_exchange_strong_explicit(&peer->state, &state, RT_PEER_ATTACHED, memory_order_acq_rel,
                                            memory_order_acquire);
    if (atomic_load_explicit(&peer->state, memory_order_acquire) != RT_PEER_LEAVING) continue;
    rt_level_rest(&peer->level);
    atomic_fetch_and_explicit(&engine->desk.shared->active_slots, ~(UINT64_C(1) << slot), memory_order_relaxed);
    atomic_store_explicit(&peer->state, RT_PEER_IDLE, memory_order_release);
  }
  for (uint32_t bus = 0; bus < RT_OPENED_BUSES; bus++) settle_bus(engine, bus);
}

static void close_client(struct rt_engine *engine) {
  if (engine->client == NULL) return;
  atomic_store_explicit(&engine->state, RT_CLOSED, memory_order_release);
  rt_ports_quiesce(engine);
  /* Ends the callback, and returns soon from a server that is gone, too. */
  jack_client_close(engine->client);
  engine->client = NULL;
  rt_ports_forget(engine);
  atomic_store_explicit(&engine->rt_client, NULL, memory_order_relaxed);
  rt_session_settle(engine);
}

int rt_session_start(struct rt_engine *engine) {
  /* Another server counts its frames from elsewhere; no callback runs yet. */
  engine->desk.last_cycle.period_frames = 0;
  engine->desk.suspected_frames = 0;
  atomic_store_explicit(&engine->is_freewheeling, false, memory_order_relaxed);
  if (engine->desk.shared != NULL) {
    atomic_store_explicit(&engine->desk.shared->is_freewheeling, 0, memory_order_relaxed);
  }
  engine->judges_cycles = strstr(jack_get_version_string(), "PipeWire") != NULL;
  engine->was_late = true;
  engine->xrun_delay_microseconds = jack_get_xrun_delayed_usecs(engine->client);
  atomic_store_explicit(&engine->rt_client, engine->client, memory_order_relaxed);
  note_change(engine, &engine->period_frames, &engine->period_changes, jack_get_buffer_size(engine->client));
  note_change(engine, &engine->sample_rate, &engine->rate_changes, jack_get_sample_rate(engine->client));
  int error = set_callbacks(engine);
  if (error == 0) error = rt_ports_register(engine);
  if (error != 0) return error;
  /* Before activation: the server may be gone again before that returns. */
  atomic_store_explicit(&engine->state, RT_RUNNING, memory_order_release);
  return jack_activate(engine->client) == 0 ? 0 : -EPROTO;
}

static void *wait_for_end(void *argument) {
  /* It only ever returns from a signal's handler. */
  while (pause() < 0) {
  }
  return argument;
}

/**
 * Ends a thread as libjack ends the audio thread when its server dies: cancelled, and unwound by the tables of this
 * program and of the C library. They are a megabyte, which is in memory from here on where memory is locked: the node
 * does not wait for the disk then, and is no larger for a server that died.
 */
static void rehearse_end(void) {
  pthread_attr_t attributes;
  pthread_t thread;
  if (pthread_attr_init(&attributes) != 0) return;
  /* Locked memory may be scarce. */
  pthread_attr_setstacksize(&attributes, REHEARSAL_STACK_BYTES);
  const bool has_begun = pthread_create(&thread, &attributes, wait_for_end, NULL) == 0;
  pthread_attr_destroy(&attributes);
  if (!has_begun) return;
  pthread_cancel(thread);
  pthread_join(thread, NULL);
}

int rt_engine_open(struct rt_engine *engine, const char *server_name, const char *client_name) {
  static pthread_once_t is_rehearsed = PTHREAD_ONCE_INIT;
  pthread_once(&is_rehearsed, rehearse_end);
  pthread_mutex_lock(&engine->control);
  int error = -EALREADY;
  if (engine->client == NULL && engine->link_fd < 0) {
    engine->client = open_client(server_name, client_name, &error);
    if (engine->client != NULL) {
      const bool is_taken = rt_session_takes_rate(jack_get_sample_rate(engine->client));
      error = is_taken ? rt_session_start(engine) : -ERANGE;
    }
    if (error != 0) close_client(engine);
  }
  pthread_mutex_unlock(&engine->control);
  return error;
}

void rt_engine_close(struct rt_engine *engine) {
  pthread_mutex_lock(&engine->control);
  close_client(engine);
  rt_remote_close(engine);
  pthread_mutex_unlock(&engine->control);
}

bool rt_engine_is_freewheeling(const struct rt_engine *engine) {
  return atomic_load_explicit(&engine->is_freewheeling, memory_order_relaxed) ||
         atomic_load_explicit(&engine->desk.shared->is_freewheeling, memory_order_relaxed) != 0;
}

enum rt_state rt_engine_state(const struct rt_engine *engine) {
  return atomic_load_explicit(&engine->state, memory_order_acquire);
}

int rt_engine_realtime_priority(const struct rt_engine *engine) {
  if (engine->link_fd >= 0) return engine->link_priority;
  return engine->client != NULL ? jack_client_real_time_priority(engine->client) : -1;
}

int rt_notice_fd(const struct rt_engine *engine) {
  return engine->watch_fd >= 0 ? engine->watch_fd : engine->notice_fd;
}

void rt_take_notice(struct rt_engine *engine) {
  uint64_t notices;
  const ssize_t taken = read(engine->notice_fd, &notices, sizeof notices);
  (void)taken;
  rt_remote_take_notices(engine);
}
