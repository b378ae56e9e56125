/* Control: our own ports. The callback finds a port by the pointer published for it, and by nothing else. */
#include "rt_ports.h"

#include "rt_remote.h"
#include "rt_spares.h"
#include "rt_state.h"

#include <errno.h>
#include <jack/jack.h>
#include <string.h>
#include <time.h>

/* Half a second at most: a callback takes microseconds, and one that hangs longer will not come back for the port. */
enum { WITHDRAW_POLLS = 5000, WITHDRAW_POLL_NANOSECONDS = 100000 };

static void withdraw_port(struct rt_engine *engine, _Atomic(jack_port_t *) *published);

static bool register_typed(struct rt_engine *engine, const char *name, const char *type, unsigned long flags,
                           _Atomic(jack_port_t *) *published) {
  jack_port_t *port = jack_port_register(engine->client, name, type, flags, 0);
  if (port == NULL && rt_spares_drop(engine)) {
    port = jack_port_register(engine->client, name, type, flags, 0);
  }
  atomic_store_explicit(published, port, memory_order_release);
  return port != NULL;
}

static bool register_and_publish(struct rt_engine *engine, const char *name, unsigned long flags,
                                 _Atomic(jack_port_t *) *published) {
  return register_typed(engine, name, JACK_DEFAULT_AUDIO_TYPE, flags, published);
}

/** Both MIDI ports, or none. */
static int register_midi(struct rt_engine *engine) {
  struct rt_midi *midi = &engine->midi;
  if (atomic_load_explicit(&midi->in_port, memory_order_relaxed) != NULL) return 0;
  const bool has_both =
      register_typed(engine, "keys_in", JACK_DEFAULT_MIDI_TYPE, JackPortIsInput, &midi->in_port) &&
      register_typed(engine, "tally_out", JACK_DEFAULT_MIDI_TYPE, JackPortIsOutput, &midi->out_port);
  if (has_both) return 0;
  withdraw_port(engine, &midi->in_port);
  return -EPROTO;
}

int rt_ports_register(struct rt_engine *engine) {
  const bool has_all = register_and_publish(engine, "mic", JackPortIsInput, &engine->mic_port) &&
                       register_and_publish(engine, "mix_left", JackPortIsOutput, &engine->mix_left_port) &&
                       register_and_publish(engine, "mix_right", JackPortIsOutput, &engine->mix_right_port);
  if (!has_all) return -EPROTO;
  for (uint32_t i = 0; i < RT_MAX_INPUTS; i++) {
    if (engine->input_names[i][0] == '\0') continue;
    (void)register_and_publish(engine, engine->input_names[i], JackPortIsInput, &engine->input_ports[i]);
  }
  /* As with peers' ports. */
  if (engine->midi.are_wanted && engine->plugin == NULL) (void)register_midi(engine);
  for (rt_output output = 0; output < RT_MAX_OUTPUTS; output++) {
    if (engine->output_names[output][0] == '\0') continue;
    /* A server out of ports costs a peer its own port, not everybody the talk. */
    (void)register_and_publish(engine, engine->output_names[output], JackPortIsOutput, &engine->output_ports[output]);
  }
  return 0;
}

void rt_ports_forget(struct rt_engine *engine) {
  atomic_store_explicit(&engine->mic_port, NULL, memory_order_relaxed);
  atomic_store_explicit(&engine->mix_left_port, NULL, memory_order_relaxed);
  atomic_store_explicit(&engine->mix_right_port, NULL, memory_order_relaxed);
  atomic_store_explicit(&engine->midi.in_port, NULL, memory_order_relaxed);
  atomic_store_explicit(&engine->midi.out_port, NULL, memory_order_relaxed);
  for (uint32_t i = 0; i < RT_MAX_INPUTS; i++) {
    atomic_store_explicit(&engine->input_ports[i], NULL, memory_order_relaxed);
  }
  for (rt_output output = 0; output < RT_MAX_OUTPUTS; output++) {
    atomic_store_explicit(&engine->output_ports[output], NULL, memory_order_relaxed);
  }
}

bool rt_ports_wait(const struct rt_engine *engine) {
  /* Not before what is withdrawn is: a later end is then that of a callback which may have seen it. */
  const uint32_t before = atomic_load_explicit(&engine->callbacks_ended, memory_order_seq_cst);
  for (int poll = 0; poll < WITHDRAW_POLLS; poll++) {
    if (!atomic_load_explicit(&engine->is_in_callback, memory_order_seq_cst)) return true;
    /* Inside, but in another callback than at first. */
    if (atomic_load_explicit(&engine->callbacks_ended, memory_order_acquire) != before) return true;
    const struct timespec pause = {.tv_nsec = WITHDRAW_POLL_NANOSECONDS};
    nanosleep(&pause, NULL);
  }
  return false;
}

void rt_ports_quiesce(struct rt_engine *engine) {
  atomic_store_explicit(&engine->mic_port, NULL, memory_order_seq_cst);
  (void)rt_ports_wait(engine);
}

static void withdraw_port(struct rt_engine *engine, _Atomic(jack_port_t *) *published) {
  jack_port_t *port = atomic_exchange_explicit(published, NULL, memory_order_seq_cst);
  if (port == NULL || engine->client == NULL) return;
  (void)rt_ports_wait(engine);
  jack_port_unregister(engine->client, port);
}

/** -EEXIST when another output has the name, or one of the engine's own ports. */
static int refuse_taken(const struct rt_engine *engine, rt_output output, const char *port_name) {
  static const char *const own_names[] = {"mic", "mix_left", "mix_right", "keys_in", "tally_out"};
  for (size_t i = 0; i < sizeof own_names / sizeof own_names[0]; i++) {
    if (strcmp(port_name, own_names[i]) == 0) return -EEXIST;
  }
  for (uint32_t i = 0; i < RT_MAX_INPUTS; i++) {
    if (strcmp(engine->input_names[i], port_name) == 0) return -EEXIST;
  }
  for (rt_output other = 0; other < RT_MAX_OUTPUTS; other++) {
    if (other != output && strcmp(engine->output_names[other], port_name) == 0) return -EEXIST;
  }
  return 0;
}

/** Gives an output a port of that name: one that waits for its owner, its own by a new name, or a new one. */
static int find_port(struct rt_engine *engine, rt_output output, const char *port_name) {
  if (rt_spares_has(engine, port_name)) {
    withdraw_port(engine, &engine->output_ports[output]);
    rt_spares_take(engine, output, port_name);
    return 0;
  }
  jack_port_t *port = atomic_load_explicit(&engine->output_ports[output], memory_order_relaxed);
  if (port != NULL) return jack_port_rename(engine->client, port, port_name) == 0 ? 0 : -EPROTO;
  return register_and_publish(engine, port_name, JackPortIsOutput, &engine->output_ports[output]) ? 0 : -EPROTO;
}

static int name_port(struct rt_engine *engine, rt_output output, const char *port_name) {
  const bool is_there = atomic_load_explicit(&engine->output_ports[output], memory_order_relaxed) != NULL;
  if (is_there && strcmp(engine->output_names[output], port_name) == 0) return 0;
  int error = refuse_taken(engine, output, port_name);
  if (error == 0 && rt_engine_state(engine) == RT_RUNNING) {
    error = engine->link_fd >= 0 ? rt_remote_set_port(engine, output, port_name) : find_port(engine, output, port_name);
    /* The plugin has gone in this moment: the next will have the port. */
    if (error == -ENOTCONN) error = 0;
  }
  if (error == 0) strcpy(engine->output_names[output], port_name);
  return error;
}

int rt_output_set_port(struct rt_engine *engine, rt_output output, const char *port_name) {
  if (output < 0 || output >= RT_MAX_OUTPUTS || port_name[0] == '\0') return -EINVAL;
  if (strlen(port_name) >= RT_NAME_BYTES) return -ENAMETOOLONG;
  pthread_mutex_lock(&engine->control);
  const int error = name_port(engine, output, port_name);
  pthread_mutex_unlock(&engine->control);
  return error;
}

void rt_output_clear_port(struct rt_engine *engine, rt_output output) {
  if (output < 0 || output >= RT_MAX_OUTPUTS) return;
  pthread_mutex_lock(&engine->control);
  engine->output_names[output][0] = '\0';
  if (engine->link_fd >= 0) {
    rt_remote_clear_port(engine, output);
  } else {
    withdraw_port(engine, &engine->output_ports[output]);
  }
  pthread_mutex_unlock(&engine->control);
}

int rt_midi_set_ports(struct rt_engine *engine, bool are_wanted) {
  pthread_mutex_lock(&engine->control);
  int error = 0;
  engine->midi.are_wanted = are_wanted;
  if (engine->link_fd >= 0) {
    error = are_wanted ? -ENOTSUP : 0;
  } else if (engine->client != NULL && rt_engine_state(engine) == RT_RUNNING) {
    if (are_wanted) {
      error = register_midi(engine);
    } else {
      withdraw_port(engine, &engine->midi.in_port);
      withdraw_port(engine, &engine->midi.out_port);
    }
  }
  pthread_mutex_unlock(&engine->control);
  return error;
}

int rt_input_add(struct rt_engine *engine, const char *port_name) {
  struct rt_shared *shared = engine->desk.shared;
  if (port_name[0] == '\0') return -EINVAL;
  if (strlen(port_name) >= RT_NAME_BYTES) return -ENAMETOOLONG;
  pthread_mutex_lock(&engine->control);
  const uint32_t input = atomic_load_explicit(&shared->input_count, memory_order_relaxed);
  int error = engine->client != NULL || engine->link_fd >= 0 ? -EINVAL : 0;
  if (error == 0 && input >= RT_MAX_INPUTS) error = -ENOSPC;
  if (error == 0) error = refuse_taken(engine, -1, port_name);
  if (error == 0) {
    strcpy(engine->input_names[input], port_name);
    atomic_store_explicit(&shared->input_count, input + 1, memory_order_relaxed);
    engine->desk.capture_channels++;
  }
  pthread_mutex_unlock(&engine->control);
  return error == 0 ? (int)input : error;
}

int rt_input_set_port(struct rt_engine *engine, int32_t input, const char *port_name) {
  if (input < 0 || input >= RT_MAX_INPUTS) return -EINVAL;
  if (strlen(port_name) >= RT_NAME_BYTES) return -ENAMETOOLONG;
  pthread_mutex_lock(&engine->control);
  char *name = engine->input_names[input];
  int error = 0;
  if (strcmp(name, port_name) != 0) {
    withdraw_port(engine, &engine->input_ports[input]);
    name[0] = '\0';
    if (port_name[0] != '\0') error = refuse_taken(engine, -1, port_name);
    if (error == 0) strcpy(name, port_name);
  }
  const bool is_missing = atomic_load_explicit(&engine->input_ports[input], memory_order_relaxed) == NULL;
  if (name[0] != '\0' && is_missing) {
    if (!register_and_publish(engine, name, JackPortIsInput, &engine->input_ports[input])) error = -EPROTO;
  }
  pthread_mutex_unlock(&engine->control);
  return error;
}

int rt_peer_set_port(struct rt_engine *engine, rt_slot slot, const char *port_name) {
  return rt_slot_exists(slot) ? rt_output_set_port(engine, slot, port_name) : -EINVAL;
}

void rt_peer_clear_port(struct rt_engine *engine, rt_slot slot) {
  if (rt_slot_exists(slot)) rt_output_clear_port(engine, slot);
}

int rt_bus_set_port(struct rt_engine *engine, rt_bus bus, const char *port_name) {
  return rt_bus_opens(bus) ? rt_output_set_port(engine, RT_MAX_PEERS + bus, port_name) : -EINVAL;
}

void rt_bus_clear_port(struct rt_engine *engine, rt_bus bus) {
  if (rt_bus_opens(bus)) rt_output_clear_port(engine, RT_MAX_PEERS + bus);
}
