/* Control, in jackd: what the plugin does for comlinkd. */
#define _GNU_SOURCE
#include "rt_plugin_state.h"
#include "rt_ports.h"
#include "rt_shared_memory.h"
#include "rt_spares.h"
#include "rt_state.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* --- meeting and parting --- */

/** What jackd's log says of a refusal. */
static const char *words_for(int result) {
  switch (result) {
  case -EPROTONOSUPPORT:
    return "it is of another version: restart jackd, which keeps the old plugin in its memory";
  case -EINVAL:
    return "it wants a plugin of another name, or brought memory that will not do";
  case -EPERM:
    return "it runs as another user";
  case -EBUSY:
    return "another one is here";
  default:
    return strerror(-result);
  }
}

void rt_plugin_refuse(struct rt_plugin *plugin, int result) {
  /* Once: it will come again every half second. */
  if (result != plugin->told_refusal) fprintf(stderr, "comlink plugin: a comlinkd was refused: %s\n", words_for(result));
  plugin->told_refusal = result;
  const struct rt_link_welcome refusal = {.version = rt_link_own_version(), .result = result};
  (void)rt_link_send(plugin->stranger_fd, &refusal, sizeof refusal, NULL, 0);
  close(plugin->stranger_fd);
  plugin->stranger_fd = -1;
}

/** Lets the callback play what is in this memory. 0 or -errno. */
static int share(struct rt_engine *engine, int memory_fd, int wake_fd) {
  /* One that hung when the last daemon went may have the desk still. */
  if (!rt_ports_wait(engine)) return -ETIMEDOUT;
  struct rt_shared *shared = rt_shared_map(memory_fd);
  if (shared == NULL) return -ENOMEM;
  rt_desk_init(&engine->desk, shared, wake_fd);
  engine->desk.told = rt_reports_now(engine);
  atomic_store_explicit(&engine->published_desk, &engine->desk, memory_order_seq_cst);
  return 0;
}

/** The stranger as our daemon, if what it brought will do. 0 or -errno. */
static int accept_stranger(struct rt_plugin *plugin, const int *descriptors) {
  int error = rt_link_check_descriptors(descriptors[0], descriptors[1]);
  if (error == 0) error = share(plugin->engine, descriptors[0], descriptors[1]);
  /* The mapping stays. */
  close(descriptors[0]);
  if (error != 0) {
    close(descriptors[1]);
    return error;
  }
  plugin->daemon_fd = plugin->stranger_fd;
  plugin->stranger_fd = -1;
  const struct rt_engine *engine = plugin->engine;
  const struct rt_link_welcome welcome = {
      .version = rt_link_own_version(),
      .priority = rt_engine_realtime_priority(engine),
      .period_frames = atomic_load_explicit(&engine->period_frames, memory_order_relaxed),
      .sample_rate = atomic_load_explicit(&engine->sample_rate, memory_order_relaxed),
      .graph_changes = rt_graph_changes(engine),
      .is_resumed = plugin->had_daemon,
  };
  plugin->had_daemon = true;
  plugin->told_refusal = 0;
  (void)rt_link_send(plugin->daemon_fd, &welcome, sizeof welcome, NULL, 0);
  return 0;
}

void rt_plugin_meet(struct rt_plugin *plugin) {
  char hello[RT_LINK_HELLO_BYTES];
  int descriptors[RT_LINK_DESCRIPTORS];
  bool has_descriptors = false;
  const int64_t bytes =
      rt_link_receive(plugin->stranger_fd, hello, sizeof hello, descriptors, &has_descriptors);
  if (bytes == -EAGAIN) return;
  int error = bytes < 0 ? (int)bytes : rt_link_check_hello(hello, (size_t)bytes, plugin->client_name);
  if (error == 0 && plugin->daemon_fd >= 0) error = -EBUSY;
  if (error == 0 && !has_descriptors) error = -EPROTO;
  if (error == 0) {
    error = accept_stranger(plugin, descriptors);
    has_descriptors = false;
  }
  if (has_descriptors) {
    for (uint32_t i = 0; i < RT_LINK_DESCRIPTORS; i++) close(descriptors[i]);
  }
  if (error != 0) rt_plugin_refuse(plugin, error);
}

void rt_plugin_part(struct rt_plugin *plugin) {
  struct rt_engine *engine = plugin->engine;
  close(plugin->daemon_fd);
  plugin->daemon_fd = -1;
  atomic_store_explicit(&engine->published_desk, NULL, memory_order_seq_cst);
  /* A callback that hangs keeps what it may come back to: memory is lost then, and not jackd. */
  if (rt_ports_wait(engine)) {
    rt_shared_unmap(engine->desk.shared);
    close(engine->desk.wake_fd);
  }
  pthread_mutex_lock(&plugin->calls);
  if (!atomic_load_explicit(&plugin->is_unloaded, memory_order_acquire)) rt_spares_keep(engine);
  pthread_mutex_unlock(&plugin->calls);
}

/* --- requests --- */

static int carry_out(struct rt_plugin *plugin, const struct rt_link_request *request) {
  struct rt_engine *engine = plugin->engine;
  char *text = plugin->answer->text;
  switch (request->kind) {
  case RT_LINK_SET_INPUT:
    return rt_input_set_port(engine, request->port, request->source);
  case RT_LINK_SET_PORT:
    return rt_output_set_port(engine, request->port, request->source);
  case RT_LINK_CLEAR_PORT:
    rt_output_clear_port(engine, request->port);
    return 0;
  case RT_LINK_CONNECT:
    return rt_connect(engine, request->source, request->destination);
  case RT_LINK_CONNECTIONS:
    return rt_connections(engine, text, RT_LINK_TEXT_BYTES);
  case RT_LINK_CAPTURE_PORTS:
  case RT_LINK_PLAYBACK_PORTS:
    return rt_physical_ports(engine, request->kind == RT_LINK_CAPTURE_PORTS, text, RT_LINK_TEXT_BYTES);
  default:
    return 0;
  }
}

/** Sends what is in the plugin's answer, with that much text. */
static void send_answer(struct rt_plugin *plugin, uint32_t text_bytes) {
  struct rt_link_answer *answer = plugin->answer;
  answer->graph_changes = rt_graph_changes(plugin->engine);
  /* What does not fit into the socket is for one that does not read: a request gets its answer,
   * notices wait already. */
  (void)rt_link_send(plugin->daemon_fd, answer, sizeof *answer + text_bytes, NULL, 0);
}

bool rt_plugin_serve(struct rt_plugin *plugin) {
  struct rt_link_request request;
  const int64_t bytes = rt_link_receive(plugin->daemon_fd, &request, sizeof request, NULL, NULL);
  if (bytes == -EAGAIN) return true;
  if (bytes <= 0 || rt_link_check_request(&request, (size_t)bytes) != 0) return false;
  struct rt_link_answer *answer = plugin->answer;
  answer->serial = request.serial;
  answer->kind = request.kind;
  pthread_mutex_lock(&plugin->calls);
  const bool is_unloaded = atomic_load_explicit(&plugin->is_unloaded, memory_order_acquire);
  answer->result = is_unloaded ? -ENOTCONN : carry_out(plugin, &request);
  pthread_mutex_unlock(&plugin->calls);
  const bool has_text = request.kind >= RT_LINK_CONNECTIONS && request.kind <= RT_LINK_PLAYBACK_PORTS;
  if (request.kind == RT_LINK_LEAVE) {
    /* The answer says that the callback has left. */
    const int daemon_fd = dup(plugin->daemon_fd);
    rt_plugin_part(plugin);
    plugin->daemon_fd = daemon_fd;
    if (daemon_fd >= 0) send_answer(plugin, 0);
    if (daemon_fd >= 0) close(daemon_fd);
    plugin->daemon_fd = -1;
    return true;
  }
  send_answer(plugin, has_text && answer->result > 0 ? (uint32_t)answer->result : 0);
  return true;
}

void rt_plugin_notify(struct rt_plugin *plugin) {
  plugin->answer->serial = 0;
  plugin->answer->kind = RT_LINK_NOTICE;
  plugin->answer->result = 0;
  send_answer(plugin, 0);
}
