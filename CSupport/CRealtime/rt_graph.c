/* Control: what is connected to what. */
#include "rt_remote.h"
#include "rt_state.h"

#include <errno.h>
#include <jack/jack.h>
#include <string.h>

/** Text being put together in the caller's memory; bytes is -ENOSPC once it did not fit. */
struct text {
  char *start;
  uint32_t capacity;
  int bytes;
};

static void add_line(struct text *text, const char *line) {
  const size_t length = strlen(line);
  if (text->bytes < 0) return;
  if (length + 1 > text->capacity - (size_t)text->bytes) {
    text->bytes = -ENOSPC;
    return;
  }
  memcpy(text->start + text->bytes, line, length);
  text->start[text->bytes + (int)length] = '\n';
  text->bytes += (int)length + 1;
}

static void add_connections(struct text *text, const struct rt_engine *engine,
                            _Atomic(jack_port_t *) const *published) {
  jack_port_t *port = atomic_load_explicit(published, memory_order_relaxed);
  if (port == NULL) return;
  const char **others = jack_port_get_all_connections(engine->client, port);
  if (others == NULL) return;
  const bool is_input = (jack_port_flags(port) & JackPortIsInput) != 0;
  for (const char **other = others; *other != NULL; other++) {
    add_line(text, is_input ? *other : jack_port_name(port));
    add_line(text, is_input ? jack_port_name(port) : *other);
  }
  jack_free(others);
}

int rt_connections(struct rt_engine *engine, char *text, uint32_t capacity) {
  struct text all = {.start = text, .capacity = capacity, .bytes = -ENOTCONN};
  pthread_mutex_lock(&engine->control);
  if (engine->link_fd >= 0) {
    all.bytes = rt_remote_list(engine, RT_LINK_CONNECTIONS, text, capacity);
  } else if (rt_engine_state(engine) == RT_RUNNING) {
    all.bytes = 0;
    add_connections(&all, engine, &engine->mic_port);
    for (uint32_t i = 0; i < RT_MAX_INPUTS; i++) add_connections(&all, engine, &engine->input_ports[i]);
    add_connections(&all, engine, &engine->midi.in_port);
    add_connections(&all, engine, &engine->midi.out_port);
    add_connections(&all, engine, &engine->mix_left_port);
    add_connections(&all, engine, &engine->mix_right_port);
    for (uint32_t i = 0; i < RT_MAX_OUTPUTS; i++) add_connections(&all, engine, &engine->output_ports[i]);
    for (uint32_t i = 0; i < RT_MAX_OUTPUTS; i++) add_connections(&all, engine, &engine->spare_ports[i]);
  }
  pthread_mutex_unlock(&engine->control);
  return all.bytes;
}

int rt_physical_ports(struct rt_engine *engine, bool capture, char *text, uint32_t capacity) {
  struct text all = {.start = text, .capacity = capacity, .bytes = -ENOTCONN};
  /* A sound card's capture port is JACK's output. */
  const unsigned long flags = JackPortIsPhysical | (capture ? JackPortIsOutput : JackPortIsInput);
  pthread_mutex_lock(&engine->control);
  if (engine->link_fd >= 0) {
    all.bytes = rt_remote_list(engine, capture ? RT_LINK_CAPTURE_PORTS : RT_LINK_PLAYBACK_PORTS, text, capacity);
  } else if (rt_engine_state(engine) == RT_RUNNING) {
    all.bytes = 0;
    const char **names = jack_get_ports(engine->client, NULL, JACK_DEFAULT_AUDIO_TYPE, flags);
    for (const char **name = names; name != NULL && *name != NULL; name++) add_line(&all, *name);
    if (names != NULL) jack_free(names);
  }
  pthread_mutex_unlock(&engine->control);
  return all.bytes;
}

static int connect_ports(jack_client_t *client, const char *source, const char *destination) {
  const int result = jack_connect(client, source, destination);
  if (result == 0) return 0;
  if (result == EEXIST) return -EEXIST;
  const bool are_there = jack_port_by_name(client, source) != NULL && jack_port_by_name(client, destination) != NULL;
  return are_there ? -EPROTO : -ENOENT;
}

int rt_connect(struct rt_engine *engine, const char *source, const char *destination) {
  int error = -ENOTCONN;
  pthread_mutex_lock(&engine->control);
  if (engine->link_fd >= 0) {
    error = rt_remote_connect(engine, source, destination);
  } else if (rt_engine_state(engine) == RT_RUNNING) {
    error = connect_ports(engine->client, source, destination);
  }
  pthread_mutex_unlock(&engine->control);
  return error;
}

uint32_t rt_graph_changes(const struct rt_engine *engine) {
  return atomic_load_explicit(&engine->graph_changes, memory_order_relaxed);
}
