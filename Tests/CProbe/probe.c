#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "probe_state.h"

static int count_xrun(void *context) {
  rig_probe *probe = context;
  atomic_fetch_add_explicit(&probe->xruns, 1, memory_order_relaxed);
  return 0;
}

static void note_shutdown(void *context) {
  rig_probe *probe = context;
  atomic_store_explicit(&probe->is_dead, true, memory_order_release);
}

/** JACK prints to stderr by default, in the middle of a progress line. */
static void keep_quiet(const char *message) { (void)message; }

/** Zeroes by writing, so that no page fault is left for the callback. */
static void *touched(size_t count, size_t size) {
  void *memory = malloc(count * size + 1);
  if (memory) memset(memory, 0, count * size + 1);
  return memory;
}

static int register_ports(rig_probe *probe) {
  char name[16];
  unsigned long flags = probe->mode == RIG_PROBE_CARD ? JackPortIsPhysical | JackPortIsTerminal : 0;
  for (unsigned i = 0; i < probe->input_count; i++) {
    snprintf(name, sizeof name, "in_%u", i);
    probe->inputs[i] =
        jack_port_register(probe->client, name, JACK_DEFAULT_AUDIO_TYPE, flags | JackPortIsInput, 0);
    if (!probe->inputs[i]) return -ENOSPC;
  }
  for (unsigned i = 0; i < probe->output_count; i++) {
    snprintf(name, sizeof name, "out_%u", i);
    probe->outputs[i] =
        jack_port_register(probe->client, name, JACK_DEFAULT_AUDIO_TYPE, flags | JackPortIsOutput, 0);
    if (!probe->outputs[i]) return -ENOSPC;
  }
  return 0;
}

static int allocate(rig_probe *probe) {
  probe->period_capacity = probe->record_capacity / probe->period_frames + 1;
  probe->periods = touched(probe->period_capacity, sizeof(rig_period));
  if (!probe->periods) return -ENOMEM;
  for (unsigned i = 0; i < probe->input_count; i++) {
    probe->recordings[i] = touched(probe->record_capacity, sizeof(float));
    if (!probe->recordings[i]) return -ENOMEM;
  }
  return 0;
}

static int open_client(rig_probe *probe, const char *server, const char *client,
                       double record_seconds) {
  jack_set_error_function(keep_quiet);
  jack_set_info_function(keep_quiet);
  jack_status_t status = 0;
  probe->client = jack_client_open(client, JackNoStartServer | JackUseExactName | JackServerName,
                                   &status, server);
  if (!probe->client) return status & JackNameNotUnique ? -EEXIST : -ENOTCONN;
  probe->sample_rate = jack_get_sample_rate(probe->client);
  probe->period_frames = jack_get_buffer_size(probe->client);
  probe->record_capacity = (size_t)(record_seconds * probe->sample_rate);
  jack_set_process_callback(probe->client, rig_probe_process, probe);
  jack_set_xrun_callback(probe->client, count_xrun, probe);
  jack_on_shutdown(probe->client, note_shutdown, probe);
  int error = allocate(probe);
  if (error == 0) error = register_ports(probe);
  if (error == 0 && jack_activate(probe->client) != 0) error = -EIO;
  return error;
}

rig_probe *rig_probe_create(const char *server, const char *client, rig_probe_mode mode,
                            unsigned inputs, unsigned outputs, double record_seconds, int *error) {
  *error = 0;
  if (inputs > RIG_PROBE_MAXIMUM_PORTS || outputs > RIG_PROBE_MAXIMUM_PORTS) {
    *error = -EINVAL;
    return NULL;
  }
  rig_probe *probe = calloc(1, sizeof *probe);
  if (!probe) {
    *error = -ENOMEM;
    return NULL;
  }
  probe->mode = mode;
  probe->input_count = inputs;
  probe->output_count = outputs;
  *error = open_client(probe, server, client, record_seconds);
  if (*error == 0) return probe;
  rig_probe_destroy(probe);
  return NULL;
}

void rig_probe_destroy(rig_probe *probe) {
  if (!probe) return;
  if (probe->client) jack_client_close(probe->client);
  for (unsigned i = 0; i < RIG_PROBE_MAXIMUM_PORTS; i++) {
    free(probe->recordings[i]);
    free(probe->sources[i].samples);
  }
  free(probe->periods);
  free(probe);
}

int rig_probe_set_source(rig_probe *probe, unsigned output, const float *samples, size_t frames,
                         bool loops) {
  if (output >= probe->output_count) return -EINVAL;
  if (atomic_load_explicit(&probe->run, memory_order_acquire) != RIG_IDLE) return -EBUSY;
  float *copy = touched(frames, sizeof(float));
  if (!copy) return -ENOMEM;
  memcpy(copy, samples, frames * sizeof(float));
  free(probe->sources[output].samples);
  probe->sources[output] = (rig_source){.samples = copy, .frames = frames, .loops = loops};
  return 0;
}

void rig_probe_start(rig_probe *probe) {
  rig_probe_stop(probe);
  probe->has_frame_time = false;
  atomic_store_explicit(&probe->period_count, 0, memory_order_relaxed);
  atomic_store_explicit(&probe->recorded_frames, 0, memory_order_relaxed);
  atomic_store_explicit(&probe->played_frames, 0, memory_order_relaxed);
  atomic_store_explicit(&probe->xruns, 0, memory_order_relaxed);
  atomic_store_explicit(&probe->skips, 0, memory_order_relaxed);
  atomic_store_explicit(&probe->cycles, 0, memory_order_relaxed);
  for (unsigned i = 0; i < RIG_PROBE_MAXIMUM_PORTS; i++)
    atomic_store_explicit(&probe->audible_cycles[i], 0, memory_order_relaxed);
  atomic_store_explicit(&probe->run, RIG_RUNNING, memory_order_release);
}

void rig_probe_stop(rig_probe *probe) {
  int running = RIG_RUNNING;
  if (!atomic_compare_exchange_strong(&probe->run, &running, RIG_STOPPING)) return;
  const struct timespec millisecond = {.tv_nsec = 1000000};
  for (int i = 0; i < 1000; i++) {
    if (atomic_load_explicit(&probe->run, memory_order_acquire) == RIG_IDLE) return;
    nanosleep(&millisecond, NULL);
  }
  /* A dead server calls no callback; its last cycle is long over. */
  atomic_store_explicit(&probe->run, RIG_IDLE, memory_order_release);
}

int rig_probe_connect(rig_probe *probe, const char *from, const char *to) {
  int result = jack_connect(probe->client, from, to);
  if (result == 0 || result == EEXIST) return 0;
  return rig_probe_has_port(probe, from) && rig_probe_has_port(probe, to) ? -EIO : -ENOENT;
}

int rig_probe_disconnect(rig_probe *probe, const char *from, const char *to) {
  jack_port_t *port = jack_port_by_name(probe->client, from);
  if (!port) return -ENOENT;
  if (!jack_port_connected_to(port, to)) return 0;
  return jack_disconnect(probe->client, from, to) == 0 ? 0 : -EIO;
}

bool rig_probe_has_port(rig_probe *probe, const char *name) {
  return rig_probe_is_alive(probe) && jack_port_by_name(probe->client, name) != NULL;
}

size_t rig_probe_port_names(rig_probe *probe, char *text, size_t capacity) {
  if (capacity > 0) text[0] = 0;
  if (!rig_probe_is_alive(probe)) return 0;
  const char **names = jack_get_ports(probe->client, NULL, NULL, 0);
  size_t used = 0;
  for (size_t i = 0; names && names[i]; i++) {
    size_t length = strlen(names[i]);
    if (used + length + 2 <= capacity) {
      memcpy(text + used, names[i], length);
      text[used + length] = '\n';
      text[used + length + 1] = 0;
    }
    used += length + 1;
  }
  jack_free(names);
  return used;
}

bool rig_probe_is_alive(const rig_probe *probe) {
  return !atomic_load_explicit(&probe->is_dead, memory_order_acquire);
}

unsigned rig_probe_sample_rate(const rig_probe *probe) { return probe->sample_rate; }

unsigned rig_probe_period_frames(const rig_probe *probe) { return probe->period_frames; }

uint64_t rig_probe_xruns(const rig_probe *probe) {
  return atomic_load_explicit(&probe->xruns, memory_order_relaxed);
}

uint64_t rig_probe_skips(const rig_probe *probe) {
  return atomic_load_explicit(&probe->skips, memory_order_relaxed);
}

uint64_t rig_probe_cycles(const rig_probe *probe) {
  return atomic_load_explicit(&probe->cycles, memory_order_relaxed);
}

uint64_t rig_probe_audible_cycles(const rig_probe *probe, unsigned input) {
  if (input >= probe->input_count) return 0;
  return atomic_load_explicit(&probe->audible_cycles[input], memory_order_relaxed);
}

size_t rig_probe_period_count(const rig_probe *probe) {
  return atomic_load_explicit(&probe->period_count, memory_order_acquire);
}

const rig_period *rig_probe_periods(const rig_probe *probe) { return probe->periods; }

size_t rig_probe_recorded_frames(const rig_probe *probe) {
  return atomic_load_explicit(&probe->recorded_frames, memory_order_acquire);
}

const float *rig_probe_recording(const rig_probe *probe, unsigned input) {
  return input < probe->input_count ? probe->recordings[input] : NULL;
}

int64_t rig_probe_played_frames(const rig_probe *probe) {
  return atomic_load_explicit(&probe->played_frames, memory_order_acquire);
}
